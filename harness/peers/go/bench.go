package main

import (
	"hash/fnv"
	"time"

	"interopcheck/peer/peerpb"
)

const defaultBatchNS = 1_000_000

// timing is an operation that is timed, and its last results.
type timing struct {
	codec Codec
	plan  *Plan
	run   func() error
	last  any
	data  []byte
}

func newTiming(request *peerpb.Bench, codec Codec, plan *Plan, native any) (*timing, error) {
	serialize := codec.Serializer(plan)
	encoded, err := codec.Encode(plan, native)
	if err != nil {
		return nil, err
	}
	encoded = append([]byte{}, encoded...)
	t := &timing{codec: codec, plan: plan}
	t.run = func() (err error) { t.data, err = serialize(native); return err }
	switch request.Operation {
	case peerpb.Bench_DESERIALIZE:
		t.run = func() (err error) { t.last, err = codec.Decode(plan, encoded); return err }
	case peerpb.Bench_ROUNDTRIP:
		t.run = func() (err error) {
			if t.data, err = serialize(native); err == nil {
				t.last, err = codec.Decode(plan, t.data)
			}
			return err
		}
	}
	return t, nil
}

// describe adds the checksum and length of what the last operation gave.
func (t *timing) describe(measured *peerpb.Measured) (err error) {
	data := t.data
	if t.last != nil {
		data, err = t.codec.Encode(t.plan, t.last)
	} else {
		data, err = t.codec.Normal(data)
	}
	if err != nil {
		return err
	}
	digest := fnv.New64a()
	digest.Write(data)
	measured.Checksum = digest.Sum64()
	measured.EncodedBytes = uint64(len(data))
	return nil
}

// measure is the calibrated loop of PROTOCOL.md, "Bench".
func measure(request *peerpb.Bench, codec Codec, plan *Plan, native any) (*peerpb.Measured, error) {
	timing, err := newTiming(request, codec, plan, native)
	if err != nil {
		return nil, err
	}
	operation := timing.run
	batch := func(iterations uint64) (uint64, error) {
		start := time.Now()
		for range iterations {
			if err := operation(); err != nil {
				return 0, err
			}
		}
		return uint64(time.Since(start)), nil
	}
	batchNS := request.BatchNs
	if batchNS == 0 {
		batchNS = defaultBatchNS
	}
	iterations, spent := uint64(1), uint64(0)
	for {
		elapsed, err := batch(iterations)
		if err != nil {
			return nil, err
		}
		spent += elapsed
		if elapsed*2 < batchNS {
			iterations *= 2
		} else if spent >= request.WarmupNs {
			iterations = max(1, iterations*batchNS/elapsed)
			break
		}
	}
	measured := &peerpb.Measured{BatchIterations: iterations}
	for spent = 0; spent < request.DurationNs || len(measured.BatchesNs) == 0; {
		elapsed, err := batch(iterations)
		if err != nil {
			return nil, err
		}
		spent += elapsed
		measured.BatchesNs = append(measured.BatchesNs, elapsed)
	}
	if err := timing.describe(measured); err != nil {
		return nil, err
	}
	return measured, nil
}
