package main

import (
	"hash/fnv"
	"time"

	"interopcheck/peer/peerpb"
)

const defaultBatchNS = 1_000_000

// measure is the calibrated loop of PROTOCOL.md, "Bench".
func measure(request *peerpb.Bench, codec Codec, plan *Plan, native any) (*peerpb.Measured, error) {
	serialize := codec.Serializer(plan)
	encoded, err := codec.Encode(plan, native)
	if err != nil {
		return nil, err
	}
	encoded = append([]byte{}, encoded...)
	var last any
	var data []byte
	operation := func() (err error) { data, err = serialize(native); return err }
	switch request.Operation {
	case peerpb.Bench_DESERIALIZE:
		operation = func() (err error) { last, err = codec.Decode(plan, encoded); return err }
	case peerpb.Bench_ROUNDTRIP:
		operation = func() (err error) {
			if data, err = serialize(native); err == nil {
				last, err = codec.Decode(plan, data)
			}
			return err
		}
	}
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
	if last != nil {
		data, err = codec.Encode(plan, last)
	} else {
		data, err = codec.Normal(data)
	}
	if err != nil {
		return nil, err
	}
	digest := fnv.New64a()
	digest.Write(data)
	measured.Checksum = digest.Sum64()
	measured.EncodedBytes = uint64(len(data))
	return measured, nil
}
