package main

import (
	"bytes"
	"encoding/json"
	"sort"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"interopcheck/peer/peerpb"
)

func isText(s string) bool { return utf8.ValidString(s) }

// messages is what the binary and the JSON codec share: values are protobuf messages.
type messages struct{ schema *Schema }

func (m messages) Plan(model string) *Plan {
	for _, name := range m.schema.Models {
		if name == model {
			return m.schema.Plans[name]
		}
	}
	return nil
}

func (m messages) Models() []string { return m.schema.Models }

func (m messages) Bench() bool { return true }

func (m messages) Native(plan *Plan, tree *peerpb.Tree) (any, error) {
	message := plan.Type.New()
	if err := fillMessage(plan, tree, message); err != nil {
		return nil, err
	}
	return message.Interface(), nil
}

func (m messages) Tree(plan *Plan, native any) (*peerpb.Tree, error) {
	return treeOfMessage(plan, native.(proto.Message).ProtoReflect()), nil
}

func fillMessage(plan *Plan, tree *peerpb.Tree, message protoreflect.Message) error {
	for _, entry := range tree.GetFields() {
		index, ok := plan.ByNumber[entry.Number]
		if !ok {
			return refusef("%s has no field %d", plan.Name, entry.Number)
		}
		f := plan.Fields[index]
		switch {
		case f.IsMap:
			target := message.Mutable(f.Descriptor).Map()
			key, item := f.Message.Fields[0], f.Message.Fields[1]
			for _, pair := range entry.Value.GetMap().GetEntries() {
				k, err := scalarOf(key, pair.Key, key.Kind)
				if err != nil {
					return err
				}
				value, err := protoValue(item, pair.Value, target.NewValue)
				if err != nil {
					return err
				}
				target.Set(protoreflect.ValueOf(k).MapKey(), value)
			}
		case f.Repeated:
			target := message.Mutable(f.Descriptor).List()
			for _, item := range entry.Value.GetList().GetValues() {
				value, err := protoValue(f, item, target.NewElement)
				if err != nil {
					return err
				}
				target.Append(value)
			}
		default:
			value, err := protoValue(f, entry.Value, func() protoreflect.Value { return message.NewField(f.Descriptor) })
			if err != nil {
				return err
			}
			message.Set(f.Descriptor, value)
		}
	}
	if len(tree.GetUnknown()) > 0 {
		message.SetUnknown(tree.Unknown)
	}
	return nil
}

func protoValue(f *Field, v *peerpb.Value, blank func() protoreflect.Value) (protoreflect.Value, error) {
	if f.Message != nil {
		value := blank()
		return value, fillMessage(f.Message, v.GetMessage(), value.Message())
	}
	scalar, err := scalarOf(f, v, f.Kind)
	if err != nil {
		return protoreflect.Value{}, err
	}
	if f.Kind == KindEnum {
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(scalar.(int32))), nil
	}
	return protoreflect.ValueOf(scalar), nil
}

func treeOfMessage(plan *Plan, message protoreflect.Message) *peerpb.Tree {
	tree := &peerpb.Tree{Unknown: message.GetUnknown()}
	for _, f := range plan.Fields {
		if !message.Has(f.Descriptor) {
			continue
		}
		value := message.Get(f.Descriptor)
		field := &peerpb.Field{Number: f.Number}
		switch {
		case f.IsMap:
			key, item := f.Message.Fields[0], f.Message.Fields[1]
			var entries []*peerpb.Entry
			for _, k := range sortedKeys(value.Map()) {
				entries = append(entries, &peerpb.Entry{
					Key:   valueOf(k.Interface(), key.Kind),
					Value: treeItem(item, value.Map().Get(k)),
				})
			}
			field.Value = mapValue(entries)
		case f.Repeated:
			list := value.List()
			values := make([]*peerpb.Value, list.Len())
			for i := range values {
				values[i] = treeItem(f, list.Get(i))
			}
			field.Value = listValue(values)
		default:
			field.Value = treeItem(f, value)
		}
		tree.Fields = append(tree.Fields, field)
	}
	return tree
}

// sortedKeys orders a map, which has no order of its own, so that replies can be compared.
func sortedKeys(m protoreflect.Map) []protoreflect.MapKey {
	var keys []protoreflect.MapKey
	m.Range(func(k protoreflect.MapKey, _ protoreflect.Value) bool {
		keys = append(keys, k)
		return true
	})
	sort.Slice(keys, func(i, j int) bool {
		switch a := keys[i].Interface().(type) {
		case string:
			return a < keys[j].String()
		case bool:
			return !a && keys[j].Bool()
		case int32, int64:
			return keys[i].Int() < keys[j].Int()
		default:
			return keys[i].Uint() < keys[j].Uint()
		}
	})
	return keys
}

func treeItem(f *Field, value protoreflect.Value) *peerpb.Value {
	switch f.Kind {
	case KindMessage:
		return treeValue(treeOfMessage(f.Message, value.Message()))
	case KindEnum:
		return valueOf(int32(value.Enum()), KindEnum)
	}
	return valueOf(value.Interface(), f.Kind)
}

type protobufBinary struct{ messages }

func (protobufBinary) Format() string { return "protobuf" }
func (protobufBinary) Writer() string { return "go" }

func (protobufBinary) Encode(_ *Plan, native any) ([]byte, error) {
	// A map's order is free on the wire; the golden files are in the deterministic one.
	return proto.MarshalOptions{Deterministic: true}.Marshal(native.(proto.Message))
}

func (c protobufBinary) Serializer(plan *Plan) func(any) ([]byte, error) {
	var buffer []byte
	options := proto.MarshalOptions{Deterministic: true}
	return func(native any) (data []byte, err error) {
		buffer, err = options.MarshalAppend(buffer[:0], native.(proto.Message))
		return buffer, err
	}
}

func (protobufBinary) Normal(data []byte) ([]byte, error) { return data, nil }

func (protobufBinary) Decode(plan *Plan, data []byte) (any, error) {
	message := plan.Type.New().Interface()
	return message, proto.Unmarshal(data, message)
}

type protobufJSON struct{ messages }

func (protobufJSON) Format() string { return "json" }
func (protobufJSON) Writer() string { return "go" }

func (c protobufJSON) Encode(plan *Plan, native any) ([]byte, error) {
	data, err := c.Serializer(plan)(native)
	if err != nil {
		return nil, err
	}
	return c.Normal(data)
}

func (protobufJSON) Normal(data []byte) ([]byte, error) {
	// protojson puts spaces or not, by chance of the build, so that nobody relies on its bytes.
	var compact bytes.Buffer
	err := json.Compact(&compact, data)
	return compact.Bytes(), err
}

func (protobufJSON) Serializer(*Plan) func(any) ([]byte, error) {
	options := protojson.MarshalOptions{UseProtoNames: true}
	return func(native any) ([]byte, error) { return options.Marshal(native.(proto.Message)) }
}

func (protobufJSON) Decode(plan *Plan, data []byte) (any, error) {
	message := plan.Type.New().Interface()
	return message, protojson.Unmarshal(data, message)
}
