package main

import (
	"reflect"

	flatbuffers "github.com/google/flatbuffers/go"
)

// flatbuffersCodec writes and reads through the library's Builder and Table. A table a message:
// slots in declaration order, enums as byte, strings and vectors of implicit presence always
// written, children made in schema order, a map as a vector of its entry tables.
type flatbuffersCodec struct{ *structCodec }

func (flatbuffersCodec) Format() string { return "flatbuffers" }
func (flatbuffersCodec) Writer() string { return "go" }

// Bench is false: generated code is what users run, not this walk along the schema.
func (flatbuffersCodec) Bench() bool { return false }

var flatWidths = map[Kind]int{
	KindBool: 1, KindInt32: 4, KindUint32: 4, KindInt64: 8, KindUint64: 8, KindFloat: 4, KindDouble: 8, KindEnum: 1,
}

// flatWidth is the width of a field's slot in its table; offsets are 4 bytes wide.
func flatWidth(f *Field) int {
	if width, ok := flatWidths[f.Logical]; ok && !f.Repeated {
		return width
	}
	return 4
}

func (c flatbuffersCodec) Encode(plan *Plan, native any) ([]byte, error) {
	return c.Serializer(plan)(native)
}

func (c flatbuffersCodec) Serializer(plan *Plan) func(any) ([]byte, error) {
	builder := flatbuffers.NewBuilder(1024)
	return func(native any) ([]byte, error) {
		builder.Reset()
		builder.Finish(writeTable(builder, plan, reflect.ValueOf(native).Elem()))
		return builder.FinishedBytes(), nil
	}
}

func writeTable(b *flatbuffers.Builder, plan *Plan, value reflect.Value) flatbuffers.UOffsetT {
	children := make([]flatbuffers.UOffsetT, len(plan.Fields))
	for i, f := range plan.Fields {
		slot := value.Field(i)
		switch {
		case f.IsMap:
			children[i] = writeMap(b, f, slot)
		case f.Repeated:
			children[i] = writeVector(b, f, slot)
		case slot.Kind() == reflect.Pointer:
			if !slot.IsNil() && flatWidths[f.Logical] == 0 {
				children[i] = writeChild(b, f, slot.Elem())
			}
		case flatWidths[f.Logical] == 0:
			children[i] = writeChild(b, f, slot)
		}
	}
	b.StartObject(len(plan.Fields))
	// As flatc's create functions do: wide slots first, and the last declared of a width first.
	for _, width := range []int{8, 4, 2, 1} {
		for i := len(plan.Fields) - 1; i >= 0; i-- {
			f, slot := plan.Fields[i], value.Field(i)
			if flatWidth(f) != width {
				continue
			}
			if f.Repeated || flatWidths[f.Logical] == 0 {
				if children[i] != 0 {
					b.PrependUOffsetTSlot(i, children[i], 0)
				}
			} else if slot.Kind() == reflect.Pointer {
				if !slot.IsNil() {
					prependScalar(b, f.Logical, slot.Elem())
					b.Slot(i)
				}
			} else if !slot.IsZero() || slot.CanFloat() && slot.Float() != 0 {
				// The generated code's PrependInt32Slot and its like: a default is not written.
				prependSlot(b, f.Logical, i, slot)
			}
		}
	}
	return b.EndObject()
}

func prependSlot(b *flatbuffers.Builder, kind Kind, i int, v reflect.Value) {
	switch kind {
	case KindBool:
		b.PrependBoolSlot(i, v.Bool(), false)
	case KindInt32:
		b.PrependInt32Slot(i, int32(v.Int()), 0)
	case KindInt64:
		b.PrependInt64Slot(i, v.Int(), 0)
	case KindUint32:
		b.PrependUint32Slot(i, uint32(v.Uint()), 0)
	case KindUint64:
		b.PrependUint64Slot(i, v.Uint(), 0)
	case KindFloat:
		b.PrependFloat32Slot(i, float32(v.Float()), 0)
	case KindDouble:
		b.PrependFloat64Slot(i, v.Float(), 0)
	case KindEnum:
		b.PrependInt8Slot(i, int8(v.Int()), 0)
	}
}

func prependScalar(b *flatbuffers.Builder, kind Kind, v reflect.Value) {
	switch kind {
	case KindBool:
		b.PrependBool(v.Bool())
	case KindInt32:
		b.PrependInt32(int32(v.Int()))
	case KindInt64:
		b.PrependInt64(v.Int())
	case KindUint32:
		b.PrependUint32(uint32(v.Uint()))
	case KindUint64:
		b.PrependUint64(v.Uint())
	case KindFloat:
		b.PrependFloat32(float32(v.Float()))
	case KindDouble:
		b.PrependFloat64(v.Float())
	case KindEnum:
		b.PrependInt8(int8(v.Int()))
	}
}

func writeChild(b *flatbuffers.Builder, f *Field, value reflect.Value) flatbuffers.UOffsetT {
	switch f.Kind {
	case KindMessage:
		return writeTable(b, f.Message, value)
	case KindString:
		return b.CreateString(value.String())
	}
	return b.CreateByteVector(value.Bytes())
}

func writeVector(b *flatbuffers.Builder, f *Field, values reflect.Value) flatbuffers.UOffsetT {
	n := values.Len()
	if width := flatWidths[f.Logical]; width != 0 {
		b.StartVector(width, n, width)
		for i := n - 1; i >= 0; i-- {
			prependScalar(b, f.Logical, values.Index(i))
		}
		return b.EndVector(n)
	}
	offsets := make([]flatbuffers.UOffsetT, n)
	for i := range offsets {
		offsets[i] = writeChild(b, f, values.Index(i))
	}
	return b.CreateVectorOfTables(offsets)
}

func writeMap(b *flatbuffers.Builder, f *Field, m reflect.Value) flatbuffers.UOffsetT {
	entry := reflect.StructOf([]reflect.StructField{
		{Name: "Key", Type: m.Type().Key()}, {Name: "Value", Type: m.Type().Elem()},
	})
	entries := reflect.MakeSlice(reflect.SliceOf(entry), m.Len(), m.Len())
	// A vector of entries is found by binary search, so it is sorted by key.
	for i, key := range sortedReflectKeys(m) {
		entries.Index(i).Field(0).Set(key)
		entries.Index(i).Field(1).Set(m.MapIndex(key))
	}
	return writeVector(b, f, entries)
}

func (c flatbuffersCodec) Decode(plan *Plan, data []byte) (any, error) {
	if len(data) < 8 {
		return nil, refusef("shorter than a root offset and a table")
	}
	value := reflect.New(c.structs.Type(plan))
	table := flatbuffers.Table{Bytes: data, Pos: flatbuffers.GetUOffsetT(data)}
	return value.Interface(), readTable(&table, plan, value.Elem())
}

func readTable(t *flatbuffers.Table, plan *Plan, target reflect.Value) error {
	for i, f := range plan.Fields {
		slot := target.Field(i)
		offset := flatbuffers.UOffsetT(t.Offset(flatbuffers.VOffsetT(4 + 2*i)))
		if offset == 0 {
			continue
		}
		var err error
		switch {
		case f.IsMap:
			err = readMap(t, f, offset, slot)
		case f.Repeated:
			err = readVector(t, f, offset, slot)
		case slot.Kind() == reflect.Pointer:
			slot.Set(reflect.New(slot.Type().Elem()))
			err = readItem(t, f, offset+t.Pos, slot.Elem())
		default:
			err = readItem(t, f, offset+t.Pos, slot)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func readItem(t *flatbuffers.Table, f *Field, at flatbuffers.UOffsetT, slot reflect.Value) error {
	switch f.Logical {
	case KindBool:
		slot.SetBool(t.GetBool(at))
	case KindInt32:
		slot.SetInt(int64(t.GetInt32(at)))
	case KindInt64:
		slot.SetInt(t.GetInt64(at))
	case KindUint32:
		slot.SetUint(uint64(t.GetUint32(at)))
	case KindUint64:
		slot.SetUint(t.GetUint64(at))
	case KindFloat:
		slot.Set(reflect.ValueOf(t.GetFloat32(at)))
	case KindDouble:
		slot.SetFloat(t.GetFloat64(at))
	case KindEnum:
		slot.SetInt(int64(t.GetInt8(at)))
	case KindString:
		slot.SetString(t.String(at))
	case KindBytes:
		slot.SetBytes(append([]byte{}, t.ByteVector(at)...))
	case KindMessage:
		child := flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(at)}
		return readTable(&child, f.Message, slot)
	}
	return nil
}

func readVector(t *flatbuffers.Table, f *Field, offset flatbuffers.UOffsetT, slot reflect.Value) error {
	n := t.VectorLen(offset)
	start := t.Vector(offset)
	width := flatWidths[f.Logical]
	if width == 0 {
		width = 4
	}
	// The library checks nothing; a length that can't be is caught before memory is taken for it.
	if n < 0 || uint64(start)+uint64(n)*uint64(width) > uint64(len(t.Bytes)) {
		return refusef("%s: a vector of %d elements passes the end of the buffer", f.Name, n)
	}
	slot.Set(reflect.MakeSlice(slot.Type(), n, n))
	for i := 0; i < n; i++ {
		if err := readItem(t, f, start+flatbuffers.UOffsetT(i*width), slot.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

func readMap(t *flatbuffers.Table, f *Field, offset flatbuffers.UOffsetT, slot reflect.Value) error {
	entry := reflect.StructOf([]reflect.StructField{
		{Name: "Key", Type: slot.Type().Key()}, {Name: "Value", Type: slot.Type().Elem()},
	})
	entries := reflect.New(reflect.SliceOf(entry)).Elem()
	if err := readVector(t, f, offset, entries); err != nil {
		return err
	}
	slot.Set(reflect.MakeMapWithSize(slot.Type(), entries.Len()))
	for i := 0; i < entries.Len(); i++ {
		slot.SetMapIndex(entries.Index(i).Field(0), entries.Index(i).Field(1))
	}
	return nil
}
