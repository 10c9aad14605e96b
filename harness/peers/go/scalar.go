package main

import (
	"fmt"
	"math"
	"unsafe"

	"interopcheck/peer/peerpb"
)

// Refused is what a library, or the form that it gives to values, refused, in its own words.
type Refused struct{ message string }

func (r *Refused) Error() string { return r.message }

func refusef(format string, arguments ...any) error {
	return &Refused{fmt.Sprintf(format, arguments...)}
}

// scalarOf gives the Go value of a tree's scalar, for values of the given kind: bool, int32, int64,
// uint32, uint64, float32, float64, string, []byte; an enum is an int32.
func scalarOf(f *Field, v *peerpb.Value, kind Kind) (any, error) {
	switch x := v.GetKind().(type) {
	case *peerpb.Value_Signed:
		return integerOf(f, uint64(x.Signed), x.Signed < 0, kind)
	case *peerpb.Value_Unsigned:
		return integerOf(f, x.Unsigned, false, kind)
	case *peerpb.Value_Boolean:
		if kind == KindBool {
			return x.Boolean, nil
		}
	case *peerpb.Value_Float32Bits:
		if kind == KindFloat {
			return math.Float32frombits(x.Float32Bits), nil
		}
	case *peerpb.Value_Float64Bits:
		if kind == KindDouble {
			return math.Float64frombits(x.Float64Bits), nil
		}
	case *peerpb.Value_Text:
		if kind == KindString {
			return x.Text, nil
		}
	case *peerpb.Value_Data:
		if kind == KindBytes {
			return x.Data, nil
		}
		if kind == KindString { // text that is not UTF-8
			return string(x.Data), nil
		}
	case *peerpb.Value_Enumeration:
		if kind == KindEnum {
			return x.Enumeration, nil
		}
	}
	return nil, refusef("%s: a value of another type than the field's: %v", f.Name, v)
}

// integerOf takes either spelling of an integer, see PROTOCOL.md.
func integerOf(f *Field, bits uint64, negative bool, kind Kind) (any, error) {
	high := uint64(0)
	if negative {
		high = math.MaxUint32
	}
	switch kind {
	case KindInt64:
		return int64(bits), nil
	case KindUint64:
		return bits, nil
	case KindInt32, KindUint32:
		if bits>>32 != high || negative && bits&(1<<31) == 0 {
			return nil, refusef("%s: %d does not fit 32 bits", f.Name, int64(bits))
		}
		if kind == KindInt32 {
			return int32(uint32(bits)), nil
		}
		return uint32(bits), nil
	}
	return nil, refusef("%s: an integer where another type is wanted", f.Name)
}

// valueOf makes a tree's scalar of a Go value as scalarOf gives them.
func valueOf(scalar any, kind Kind) *peerpb.Value {
	switch x := scalar.(type) {
	case bool:
		// A library that copies memory may have made a bool that is neither 0 nor 1, which no other
		// code can be trusted with.
		return &peerpb.Value{Kind: &peerpb.Value_Boolean{Boolean: *(*uint8)(unsafe.Pointer(&x)) != 0}}
	case int32:
		if kind == KindEnum {
			return &peerpb.Value{Kind: &peerpb.Value_Enumeration{Enumeration: x}}
		}
		return &peerpb.Value{Kind: &peerpb.Value_Signed{Signed: int64(x)}}
	case int64:
		return &peerpb.Value{Kind: &peerpb.Value_Signed{Signed: x}}
	case uint32:
		return &peerpb.Value{Kind: &peerpb.Value_Unsigned{Unsigned: uint64(x)}}
	case uint64:
		return &peerpb.Value{Kind: &peerpb.Value_Unsigned{Unsigned: x}}
	case float32:
		return &peerpb.Value{Kind: &peerpb.Value_Float32Bits{Float32Bits: math.Float32bits(x)}}
	case float64:
		return &peerpb.Value{Kind: &peerpb.Value_Float64Bits{Float64Bits: math.Float64bits(x)}}
	case string:
		if !isText(x) {
			return &peerpb.Value{Kind: &peerpb.Value_Data{Data: []byte(x)}}
		}
		return &peerpb.Value{Kind: &peerpb.Value_Text{Text: x}}
	case []byte:
		return &peerpb.Value{Kind: &peerpb.Value_Data{Data: x}}
	}
	panic(fmt.Sprintf("no scalar of a tree is a %T", scalar))
}

func treeValue(tree *peerpb.Tree) *peerpb.Value {
	return &peerpb.Value{Kind: &peerpb.Value_Message{Message: tree}}
}

func listValue(values []*peerpb.Value) *peerpb.Value {
	return &peerpb.Value{Kind: &peerpb.Value_List{List: &peerpb.List{Values: values}}}
}

func mapValue(entries []*peerpb.Entry) *peerpb.Value {
	return &peerpb.Value{Kind: &peerpb.Value_Map{Map: &peerpb.Map{Entries: entries}}}
}
