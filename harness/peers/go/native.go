package main

import (
	"flag"
	"fmt"
	"testing"
	"time"

	"interopcheck/peer/peerpb"
)

// Samples are nanoseconds an operation, given as batches of so many operations: a whole number of
// nanoseconds alone would be too coarse for the fastest ones.
const nativeIterations = 10_000

// measureNative is PROTOCOL.md, "Bench by a language's own tool", with testing.B: a sample is a
// benchmark of its own, whose count of operations the tool finds by itself.
func measureNative(request *peerpb.Bench, codec Codec, plan *Plan, native any) (*peerpb.Measured, error) {
	timing, err := newTiming(request, codec, plan, native)
	if err != nil {
		return nil, err
	}
	benchmark := func(length uint64) (float64, error) {
		length = max(length, uint64(time.Millisecond))
		if err := flag.Set("test.benchtime", fmt.Sprintf("%dns", length)); err != nil {
			return 0, err
		}
		var failure error
		result := testing.Benchmark(func(b *testing.B) {
			for b.Loop() {
				if failure = timing.run(); failure != nil {
					b.FailNow()
				}
			}
		})
		if failure == nil && result.N == 0 {
			failure = fmt.Errorf("testing.B ran nothing")
		}
		if failure != nil {
			return 0, failure
		}
		return float64(result.T.Nanoseconds()) / float64(result.N), nil
	}
	if _, err := benchmark(request.WarmupNs); err != nil {
		return nil, err
	}
	measured := &peerpb.Measured{BatchIterations: nativeIterations}
	for range max(1, request.DurationNs/max(1, request.BatchNs)) {
		ns, err := benchmark(request.BatchNs)
		if err != nil {
			return nil, err
		}
		measured.BatchesNs = append(measured.BatchesNs, uint64(ns*nativeIterations))
	}
	if err := timing.describe(measured); err != nil {
		return nil, err
	}
	return measured, nil
}
