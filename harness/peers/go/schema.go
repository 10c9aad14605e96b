package main

import (
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"interopcheck/peer/forypb"
)

// Kind is the type of a field's values.
type Kind int

// The kinds.
const (
	KindBool Kind = iota
	KindInt32
	KindInt64
	KindUint32
	KindUint64
	KindFloat
	KindDouble
	KindString
	KindBytes
	KindEnum
	KindMessage
)

var kinds = map[protoreflect.Kind]Kind{
	protoreflect.BoolKind:     KindBool,
	protoreflect.Int32Kind:    KindInt32,
	protoreflect.Sint32Kind:   KindInt32,
	protoreflect.Sfixed32Kind: KindInt32,
	protoreflect.Int64Kind:    KindInt64,
	protoreflect.Sint64Kind:   KindInt64,
	protoreflect.Sfixed64Kind: KindInt64,
	protoreflect.Uint32Kind:   KindUint32,
	protoreflect.Fixed32Kind:  KindUint32,
	protoreflect.Uint64Kind:   KindUint64,
	protoreflect.Fixed64Kind:  KindUint64,
	protoreflect.FloatKind:    KindFloat,
	protoreflect.DoubleKind:   KindDouble,
	protoreflect.StringKind:   KindString,
	protoreflect.BytesKind:    KindBytes,
	protoreflect.EnumKind:     KindEnum,
	protoreflect.MessageKind:  KindMessage,
	protoreflect.GroupKind:    KindMessage,
}

const (
	timestampName = "google.protobuf.Timestamp"
	durationName  = "google.protobuf.Duration"
)

// Field is a field of a message. Kind is its type on the protobuf wire; Logical is the type of its
// values, which differs where (fory.field).type gives an unsigned wire type signed values.
type Field struct {
	Name         string
	Number       uint32
	Kind         Kind
	Logical      Kind
	Repeated     bool
	IsMap        bool
	Presence     bool
	Message      *Plan
	Enum         protoreflect.EnumDescriptor
	Descriptor   protoreflect.FieldDescriptor
	ForyType     string
	ForyNullable bool
	ForyRef      bool
}

// Plan is a message: its fields in declaration order.
type Plan struct {
	Name     string
	Type     protoreflect.MessageType
	Fields   []*Field
	ByNumber map[uint32]int
	ForyID   *int32
}

// IsTime tells whether a message is a plain value in Fory.
func (p *Plan) IsTime() bool {
	return p != nil && (p.Name == timestampName || p.Name == durationName)
}

// Schema holds the messages of a FileDescriptorSet.
type Schema struct {
	Plans  map[string]*Plan
	Models []string
}

// NewSchema reads a serialized FileDescriptorSet. With generated set, messages are of the types
// that protoc-gen-go made where this program holds them, else they are dynamic.
func NewSchema(data []byte, generated bool) (*Schema, error) {
	var set descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(data, &set); err != nil {
		return nil, err
	}
	files, err := protodesc.NewFiles(&set)
	if err != nil {
		return nil, err
	}
	s := &Schema{Plans: map[string]*Plan{}}
	for _, file := range set.File {
		if file.GetPackage() == "google.protobuf" || file.GetPackage() == "fory" {
			continue
		}
		descriptor, err := files.FindFileByPath(file.GetName())
		if err != nil {
			return nil, err
		}
		s.addAll(descriptor.Messages(), generated)
	}
	return s, nil
}

func (s *Schema) addAll(messages protoreflect.MessageDescriptors, generated bool) {
	for i := 0; i < messages.Len(); i++ {
		message := messages.Get(i)
		if message.IsMapEntry() {
			continue
		}
		s.Models = append(s.Models, s.plan(message, generated).Name)
		s.addAll(message.Messages(), generated)
	}
}

func (s *Schema) plan(message protoreflect.MessageDescriptor, generated bool) *Plan {
	name := string(message.FullName())
	if plan, ok := s.Plans[name]; ok {
		return plan
	}
	plan := &Plan{Name: name, ByNumber: map[uint32]int{}}
	// Registered before its fields are looked at: messages may contain themselves.
	s.Plans[name] = plan
	if generated && !message.IsMapEntry() {
		if found, err := protoregistry.GlobalTypes.FindMessageByName(message.FullName()); err == nil {
			plan.Type = found
			message = found.Descriptor()
		}
	}
	if plan.Type == nil {
		plan.Type = dynamicpb.NewMessageType(message)
	}
	if options, ok := message.Options().(*descriptorpb.MessageOptions); ok && proto.HasExtension(options, forypb.E_Message) {
		plan.ForyID = proto.GetExtension(options, forypb.E_Message).(*forypb.ForyMessageOptions).Id
	}
	for i := 0; i < message.Fields().Len(); i++ {
		field := s.field(message.Fields().Get(i), generated)
		plan.ByNumber[field.Number] = len(plan.Fields)
		plan.Fields = append(plan.Fields, field)
	}
	return plan
}

func (s *Schema) field(descriptor protoreflect.FieldDescriptor, generated bool) *Field {
	f := &Field{
		Name:       string(descriptor.Name()),
		Number:     uint32(descriptor.Number()),
		Kind:       kinds[descriptor.Kind()],
		Repeated:   descriptor.Cardinality() == protoreflect.Repeated,
		IsMap:      descriptor.IsMap(),
		Presence:   descriptor.HasPresence(),
		Enum:       descriptor.Enum(),
		Descriptor: descriptor,
	}
	if f.Kind == KindMessage {
		f.Message = s.plan(descriptor.Message(), generated)
	}
	f.ForyNullable = f.Presence && !f.Message.IsTime()
	if options, ok := descriptor.Options().(*descriptorpb.FieldOptions); ok && proto.HasExtension(options, forypb.E_Field) {
		fory := proto.GetExtension(options, forypb.E_Field).(*forypb.ForyFieldOptions)
		f.ForyType = fory.GetType()
		f.ForyRef = fory.GetRef()
		if fory.Nullable != nil {
			f.ForyNullable = fory.GetNullable()
		}
	}
	f.Logical = f.Kind
	if f.Kind >= KindInt32 && f.Kind <= KindUint64 && f.ForyType != "" {
		wide, unsigned := strings.Contains(f.ForyType, "64"), strings.Contains(f.ForyType, "uint")
		switch {
		case wide && unsigned:
			f.Logical = KindUint64
		case wide:
			f.Logical = KindInt64
		case unsigned:
			f.Logical = KindUint32
		default:
			f.Logical = KindInt32
		}
	}
	return f
}
