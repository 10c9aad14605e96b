package main

import (
	"fmt"
	"reflect"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"

	"interopcheck/peer/peerpb"
)

// Structs are the Go structs of a schema, made at run time for libraries that map structs by tags.
// Absent is a nil pointer; enums are int32 or, where the library wants types, of their own.
type Structs struct {
	// Tag gives a field its tag.
	Tag func(*Field) reflect.StructTag
	// EnumType gives an enum its type.
	EnumType func(protoreflect.EnumDescriptor) reflect.Type
	// Nullable tells whether a singular field is a pointer.
	Nullable func(*Field) bool
	// Times maps Timestamp and Duration to time.Time and time.Duration.
	Times bool

	types map[string]reflect.Type
}

var scalarTypes = map[Kind]reflect.Type{
	KindBool:   reflect.TypeFor[bool](),
	KindInt32:  reflect.TypeFor[int32](),
	KindInt64:  reflect.TypeFor[int64](),
	KindUint32: reflect.TypeFor[uint32](),
	KindUint64: reflect.TypeFor[uint64](),
	KindFloat:  reflect.TypeFor[float32](),
	KindDouble: reflect.TypeFor[float64](),
	KindString: reflect.TypeFor[string](),
	KindBytes:  reflect.TypeFor[[]byte](),
}

// containsItself tells whether a message can reach itself; a struct made at run time can't.
func containsItself(plan *Plan, above map[string]bool) bool {
	if above[plan.Name] {
		return true
	}
	above[plan.Name] = true
	defer delete(above, plan.Name)
	for _, f := range plan.Fields {
		if f.Message != nil && containsItself(f.Message, above) {
			return true
		}
	}
	return false
}

// Type is the struct of a message, whose fields stand in declaration order.
func (s *Structs) Type(plan *Plan) reflect.Type {
	if t, ok := s.types[plan.Name]; ok {
		return t
	}
	fields := make([]reflect.StructField, len(plan.Fields))
	for i, f := range plan.Fields {
		fields[i] = reflect.StructField{Name: fmt.Sprintf("F%d", f.Number), Type: s.fieldType(f), Tag: s.Tag(f)}
	}
	t := reflect.StructOf(fields)
	if s.types == nil {
		s.types = map[string]reflect.Type{}
	}
	s.types[plan.Name] = t
	return t
}

func (s *Structs) fieldType(f *Field) reflect.Type {
	switch {
	case f.IsMap:
		return reflect.MapOf(s.itemType(f.Message.Fields[0]), s.itemType(f.Message.Fields[1]))
	case f.Repeated:
		return reflect.SliceOf(s.itemType(f))
	case s.Nullable(f):
		return reflect.PointerTo(s.itemType(f))
	}
	return s.itemType(f)
}

func (s *Structs) itemType(f *Field) reflect.Type {
	switch {
	case s.Times && f.Message.IsTime():
		if f.Message.Name == timestampName {
			return reflect.TypeFor[time.Time]()
		}
		return reflect.TypeFor[time.Duration]()
	case f.Kind == KindMessage:
		return s.Type(f.Message)
	case f.Kind == KindEnum:
		return s.EnumType(f.Enum)
	}
	return scalarTypes[f.Logical]
}

// Fill sets a struct from a tree.
func (s *Structs) Fill(plan *Plan, tree *peerpb.Tree, target reflect.Value) error {
	seen := make([]bool, len(plan.Fields))
	for _, entry := range tree.GetFields() {
		index, ok := plan.ByNumber[entry.Number]
		if !ok {
			return refusef("%s has no field %d", plan.Name, entry.Number)
		}
		seen[index] = true
		if err := s.fillField(plan.Fields[index], entry.Value, target.Field(index)); err != nil {
			return err
		}
	}
	for i, f := range plan.Fields {
		if seen[i] {
			continue
		}
		slot := target.Field(i)
		switch {
		case f.IsMap:
			slot.Set(reflect.MakeMap(slot.Type()))
		case f.Repeated:
			slot.Set(reflect.MakeSlice(slot.Type(), 0, 0))
		case f.Kind == KindMessage && slot.Kind() != reflect.Pointer:
			if !(s.Times && f.Message.IsTime()) {
				return refusef("%s.%s: absent, and a struct that can't be", plan.Name, f.Name)
			}
			if f.Message.Name == timestampName {
				slot.Set(reflect.ValueOf(time.Unix(0, 0).UTC()))
			}
		}
	}
	return nil
}

func (s *Structs) fillField(f *Field, v *peerpb.Value, slot reflect.Value) error {
	switch {
	case f.IsMap:
		entries := v.GetMap().GetEntries()
		slot.Set(reflect.MakeMapWithSize(slot.Type(), len(entries)))
		for _, entry := range entries {
			key := reflect.New(slot.Type().Key()).Elem()
			item := reflect.New(slot.Type().Elem()).Elem()
			if err := s.fillItem(f.Message.Fields[0], entry.Key, key); err != nil {
				return err
			}
			if err := s.fillItem(f.Message.Fields[1], entry.Value, item); err != nil {
				return err
			}
			slot.SetMapIndex(key, item)
		}
		return nil
	case f.Repeated:
		values := v.GetList().GetValues()
		slot.Set(reflect.MakeSlice(slot.Type(), len(values), len(values)))
		for i, value := range values {
			if err := s.fillItem(f, value, slot.Index(i)); err != nil {
				return err
			}
		}
		return nil
	case slot.Kind() == reflect.Pointer:
		slot.Set(reflect.New(slot.Type().Elem()))
		return s.fillItem(f, v, slot.Elem())
	}
	return s.fillItem(f, v, slot)
}

func (s *Structs) fillItem(f *Field, v *peerpb.Value, slot reflect.Value) error {
	if s.Times && f.Message.IsTime() {
		seconds, nanos := timeParts(v.GetMessage())
		if f.Message.Name == timestampName {
			slot.Set(reflect.ValueOf(time.Unix(seconds, nanos).UTC()))
		} else {
			slot.Set(reflect.ValueOf(time.Duration(seconds)*time.Second + time.Duration(nanos)))
		}
		return nil
	}
	if f.Kind == KindMessage {
		return s.Fill(f.Message, v.GetMessage(), slot)
	}
	scalar, err := scalarOf(f, v, f.Logical)
	if err != nil {
		return err
	}
	slot.Set(reflect.ValueOf(scalar).Convert(slot.Type()))
	return nil
}

func timeParts(tree *peerpb.Tree) (seconds, nanos int64) {
	for _, entry := range tree.GetFields() {
		if entry.Number == 1 {
			seconds = entry.Value.GetSigned()
		} else {
			nanos = entry.Value.GetSigned()
		}
	}
	return seconds, nanos
}

// Tree makes a tree of a struct.
func (s *Structs) Tree(plan *Plan, source reflect.Value) *peerpb.Tree {
	tree := &peerpb.Tree{}
	for i, f := range plan.Fields {
		slot := source.Field(i)
		var value *peerpb.Value
		switch {
		case f.IsMap:
			if slot.Len() == 0 {
				continue
			}
			entries := make([]*peerpb.Entry, 0, slot.Len())
			for _, key := range sortedReflectKeys(slot) {
				entries = append(entries, &peerpb.Entry{
					Key:   s.value(f.Message.Fields[0], key),
					Value: s.value(f.Message.Fields[1], slot.MapIndex(key)),
				})
			}
			value = mapValue(entries)
		case f.Repeated:
			if slot.Len() == 0 {
				continue
			}
			values := make([]*peerpb.Value, slot.Len())
			for i := range values {
				values[i] = s.value(f, slot.Index(i))
			}
			value = listValue(values)
		case slot.Kind() == reflect.Pointer:
			if slot.IsNil() {
				continue
			}
			value = s.value(f, slot.Elem())
		default:
			value = s.value(f, slot)
		}
		tree.Fields = append(tree.Fields, &peerpb.Field{Number: f.Number, Value: value})
	}
	return tree
}

func (s *Structs) value(f *Field, slot reflect.Value) *peerpb.Value {
	switch x := slot.Interface().(type) {
	case time.Time:
		return treeValue(timeTree(x.Unix(), int64(x.Nanosecond())))
	case time.Duration:
		return treeValue(timeTree(int64(x/time.Second), int64(x%time.Second)))
	}
	if f.Kind == KindMessage {
		return treeValue(s.Tree(f.Message, slot))
	}
	if f.Kind == KindEnum {
		return valueOf(int32(slot.Int()), KindEnum)
	}
	return valueOf(slot.Interface(), f.Logical)
}

func timeTree(seconds, nanos int64) *peerpb.Tree {
	tree := &peerpb.Tree{}
	for i, part := range []int64{seconds, nanos} {
		if part != 0 {
			tree.Fields = append(tree.Fields, &peerpb.Field{Number: uint32(i + 1), Value: valueOf(part, KindInt64)})
		}
	}
	return tree
}
