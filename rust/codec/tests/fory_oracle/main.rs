//! The crate `fory` as an oracle: random values of hand-declared types, written by it and by us,
//! read by both, in both modes.
//!
//! Types that contain themselves are left out: version 1.7.7 overflows the stack on an optional
//! one, and orders the fields of a list of itself in another way than its specification and all
//! other libraries do (no golden file of these types is by it). Enums are numbered from 0 without
//! gaps, since it writes the place of a value in its declaration whatever number the value has.

mod random;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Debug;
use std::rc::Rc;

use fory::{
    BFloat16, Date, Decimal, Duration, Float16, Fory, ForyEnum, ForyStruct, ForyUnion, Serializer,
    Timestamp,
};
use interop_codec::fory::{Dialect, Mode};
use interop_codec::{DecodeOptions, fory as ours};
use interop_schema::{Schema, fdl, proto};
use random::{Random, Rng};

/// Random structs, field by field. The derive macro wants to see field types as they are
/// written, so that the structs themselves can't come from a macro.
macro_rules! random {
    ($($name:ident { $($field:ident),* })*) => {
        $(impl Random for $name {
            fn random(_rng: &mut Rng) -> Self {
                Self { $($field: Random::random(_rng)),* }
            }
        })*
    };
}

#[derive(ForyStruct, Clone, Debug, PartialEq)]
struct Scalars {
    #[fory(id = 1)]
    b: bool,
    #[fory(id = 2)]
    i8: i8,
    #[fory(id = 3)]
    i16: i16,
    #[fory(id = 4)]
    i32: i32,
    #[fory(id = 5)]
    i64: i64,
    #[fory(id = 6)]
    u8: u8,
    #[fory(id = 7)]
    u16: u16,
    #[fory(id = 8)]
    u32: u32,
    #[fory(id = 9)]
    u64: u64,
    #[fory(id = 16)]
    f32: f32,
    #[fory(id = 17)]
    f64: f64,
    #[fory(id = 18)]
    s: String,
    #[fory(id = 19, bytes)]
    by: Vec<u8>,
}

#[derive(ForyStruct, Clone, Debug, PartialEq)]
struct Encodings {
    #[fory(id = 1, encoding = fixed)]
    fi32: i32,
    #[fory(id = 2, encoding = fixed)]
    fi64: i64,
    #[fory(id = 3, encoding = fixed)]
    fu32: u32,
    #[fory(id = 4, encoding = fixed)]
    fu64: u64,
    #[fory(id = 5, encoding = tagged)]
    ti64: i64,
    #[fory(id = 6, encoding = tagged)]
    tu64: u64,
}

#[derive(ForyStruct, Clone, Debug, PartialEq)]
struct Halfs {
    #[fory(id = 1)]
    h: Float16,
    #[fory(id = 2)]
    bh: BFloat16,
}

#[derive(ForyStruct, Clone, Debug, PartialEq)]
struct Point {
    #[fory(id = 1)]
    x: i32,
    #[fory(id = 2)]
    label: String,
}

#[derive(ForyStruct, Clone, Debug, PartialEq)]
struct Optionals {
    #[fory(id = 1)]
    b: Option<bool>,
    #[fory(id = 2)]
    i8: Option<i8>,
    #[fory(id = 3)]
    i64: Option<i64>,
    #[fory(id = 4)]
    u32: Option<u32>,
    #[fory(id = 5)]
    f64: Option<f64>,
    #[fory(id = 6)]
    s: Option<String>,
    #[fory(id = 7)]
    p: Option<Point>,
    #[fory(id = 8)]
    c: Option<Color>,
    #[fory(id = 9)]
    li: Option<Vec<i32>>,
    #[fory(id = 10)]
    ts: Option<Timestamp>,
}

#[derive(ForyStruct, Clone, Debug, PartialEq)]
struct Lists {
    #[fory(id = 1)]
    li: Vec<i32>,
    #[fory(id = 2)]
    lb: Vec<bool>,
    #[fory(id = 3)]
    ls: Vec<String>,
    #[fory(id = 4)]
    lp: Vec<Point>,
    #[fory(id = 5)]
    lf: Vec<f64>,
    #[fory(id = 6, list(element(encoding = fixed)))]
    lfi: Vec<i32>,
    #[fory(id = 7)]
    lu: Vec<u64>,
    #[fory(id = 8)]
    lt: Vec<Timestamp>,
}

#[derive(ForyStruct, Clone, Debug, PartialEq)]
struct OptLists {
    #[fory(id = 1)]
    los: Vec<Option<String>>,
    #[fory(id = 2)]
    loi: Vec<Option<i32>>,
}

#[derive(ForyStruct, Clone, Debug, PartialEq)]
struct Sets {
    #[fory(id = 1)]
    ss: HashSet<String>,
    #[fory(id = 2)]
    si: BTreeSet<i32>,
    #[fory(id = 3)]
    sl: BTreeSet<i64>,
}

#[derive(ForyStruct, Clone, Debug, PartialEq)]
struct Arrays {
    #[fory(id = 1, array)]
    ab: Vec<bool>,
    #[fory(id = 2, array)]
    ai8: Vec<i8>,
    #[fory(id = 3, array)]
    ai16: Vec<i16>,
    #[fory(id = 4, array)]
    ai32: Vec<i32>,
    #[fory(id = 5, array)]
    ai64: Vec<i64>,
    #[fory(id = 6, array)]
    au8: Vec<u8>,
    #[fory(id = 7, array)]
    au16: Vec<u16>,
    #[fory(id = 8, array)]
    au32: Vec<u32>,
    #[fory(id = 9, array)]
    au64: Vec<u64>,
    #[fory(id = 10, array)]
    af32: Vec<f32>,
    #[fory(id = 11, array)]
    af64: Vec<f64>,
    #[fory(id = 12, array)]
    af16: Vec<Float16>,
    #[fory(id = 13, array)]
    abf16: Vec<BFloat16>,
}

#[derive(ForyStruct, Clone, Debug, PartialEq)]
struct Maps {
    #[fory(id = 1)]
    msi: HashMap<String, i32>,
    #[fory(id = 2)]
    mis: BTreeMap<i32, String>,
    #[fory(id = 3)]
    msp: BTreeMap<String, Point>,
    #[fory(id = 4)]
    mlf: HashMap<i64, f64>,
    #[fory(id = 5)]
    mbb: BTreeMap<bool, bool>,
}

#[derive(ForyStruct, Clone, Debug, PartialEq)]
struct OptMaps {
    #[fory(id = 1)]
    mso: BTreeMap<String, Option<String>>,
    #[fory(id = 2)]
    mip: BTreeMap<i32, Option<Point>>,
}

#[derive(ForyStruct, Clone, Debug, PartialEq)]
struct Temporal {
    #[fory(id = 1)]
    ts: Timestamp,
    #[fory(id = 2)]
    du: Duration,
    #[fory(id = 3)]
    da: Date,
    #[fory(id = 4)]
    odu: Option<Duration>,
}

#[derive(ForyStruct, Clone, Debug, PartialEq)]
struct Decimals {
    #[fory(id = 1)]
    d: Decimal,
    #[fory(id = 2)]
    od: Option<Decimal>,
}

#[derive(ForyStruct, Clone, Debug, PartialEq)]
struct Enums {
    #[fory(id = 1)]
    c: Color,
    #[fory(id = 2)]
    lc: Vec<Color>,
    #[fory(id = 3)]
    mc: BTreeMap<String, Color>,
}

#[derive(ForyStruct, Clone, Debug, PartialEq)]
struct Unions {
    #[fory(id = 1)]
    s: Shape,
    #[fory(id = 2)]
    ls: Vec<Shape>,
}

#[derive(ForyStruct, Clone, Debug, PartialEq)]
struct Nested {
    #[fory(id = 1)]
    lli: Vec<Vec<i32>>,
    #[fory(id = 2)]
    msl: BTreeMap<String, Vec<i32>>,
    #[fory(id = 3)]
    lm: Vec<BTreeMap<String, i32>>,
}

#[derive(ForyStruct, Clone, Debug, PartialEq)]
struct BigTags {
    #[fory(id = 14)]
    a: i32,
    #[fory(id = 15)]
    b: i32,
    #[fory(id = 16)]
    c: String,
    #[fory(id = 200)]
    d: i64,
    #[fory(id = 2000)]
    e: Option<String>,
}

#[derive(ForyStruct, Clone, Debug, PartialEq)]
struct Empty {}

#[derive(ForyStruct, Clone, Debug, PartialEq)]
#[fory(evolving = false)]
struct Plain {
    #[fory(id = 1)]
    a: i32,
    #[fory(id = 2)]
    s: String,
    #[fory(id = 3)]
    p: Option<Point>,
}

#[derive(ForyStruct, Clone, Debug, PartialEq)]
struct Holder {
    #[fory(id = 1)]
    f: Option<Plain>,
    #[fory(id = 2)]
    lf: Vec<Plain>,
}

#[derive(ForyStruct, Clone, Debug, PartialEq)]
struct Leaf {
    val: i32,
}

#[derive(ForyStruct, Clone, Debug, PartialEq)]
struct Named {
    user_id: i32,
    url_value: String,
    a1_b2: i64,
    leaf: Option<Leaf>,
    leaves: Vec<Leaf>,
    is_http2_ok: bool,
    very_long_field_name_with_many_parts_1234567890: String,
}

#[derive(ForyStruct, Clone, Debug, PartialEq)]
struct Shared {
    #[fory(id = 1)]
    v: i32,
    #[fory(id = 2)]
    name: String,
}

#[derive(ForyStruct, Clone, Debug, PartialEq)]
struct NumericStruct {
    #[fory(id = 1)]
    f1: i32,
    #[fory(id = 2)]
    f2: i32,
    #[fory(id = 3)]
    f3: i32,
    #[fory(id = 4)]
    f4: i32,
    #[fory(id = 5)]
    f5: i32,
    #[fory(id = 6)]
    f6: i32,
    #[fory(id = 7)]
    f7: i32,
    #[fory(id = 8)]
    f8: i32,
    #[fory(id = 9)]
    f9: i32,
    #[fory(id = 10)]
    f10: i32,
    #[fory(id = 11)]
    f11: i32,
    #[fory(id = 12)]
    f12: i32,
}

#[derive(ForyStruct, Clone, Debug, PartialEq)]
struct NumericStructList {
    #[fory(id = 1)]
    struct_list: Vec<NumericStruct>,
}

#[derive(ForyStruct, Clone, Debug, PartialEq)]
struct Sample {
    #[fory(id = 1)]
    int_value: i32,
    #[fory(id = 2)]
    long_value: i64,
    #[fory(id = 3)]
    float_value: f32,
    #[fory(id = 4)]
    double_value: f64,
    #[fory(id = 5)]
    short_value: i32,
    #[fory(id = 6)]
    char_value: i32,
    #[fory(id = 7)]
    boolean_value: bool,
    #[fory(id = 8)]
    int_value_boxed: i32,
    #[fory(id = 9)]
    long_value_boxed: i64,
    #[fory(id = 10)]
    float_value_boxed: f32,
    #[fory(id = 11)]
    double_value_boxed: f64,
    #[fory(id = 12)]
    short_value_boxed: i32,
    #[fory(id = 13)]
    char_value_boxed: i32,
    #[fory(id = 14)]
    boolean_value_boxed: bool,
    #[fory(id = 15, array)]
    int_array: Vec<i32>,
    #[fory(id = 16, array)]
    long_array: Vec<i64>,
    #[fory(id = 17, array)]
    float_array: Vec<f32>,
    #[fory(id = 18, array)]
    double_array: Vec<f64>,
    #[fory(id = 19, array)]
    short_array: Vec<i32>,
    #[fory(id = 20, array)]
    char_array: Vec<i32>,
    #[fory(id = 21, array)]
    boolean_array: Vec<bool>,
    #[fory(id = 22)]
    string: String,
}

#[derive(ForyStruct, Clone, Debug, PartialEq)]
struct SampleList {
    #[fory(id = 1)]
    sample_list: Vec<Sample>,
}

#[derive(ForyStruct, Clone, Debug, PartialEq)]
struct Media {
    #[fory(id = 1)]
    uri: String,
    #[fory(id = 2)]
    title: Option<String>,
    #[fory(id = 3)]
    width: i32,
    #[fory(id = 4)]
    height: i32,
    #[fory(id = 5)]
    format: String,
    #[fory(id = 6)]
    duration: i64,
    #[fory(id = 7)]
    size: i64,
    #[fory(id = 8)]
    bitrate: i32,
    #[fory(id = 9)]
    has_bitrate: bool,
    #[fory(id = 10)]
    persons: Vec<String>,
    #[fory(id = 11)]
    player: Player,
    #[fory(id = 12)]
    copyright: String,
}

#[derive(ForyStruct, Clone, Debug, PartialEq)]
struct Image {
    #[fory(id = 1)]
    uri: String,
    #[fory(id = 2)]
    title: Option<String>,
    #[fory(id = 3)]
    width: i32,
    #[fory(id = 4)]
    height: i32,
    #[fory(id = 5)]
    size: Size,
    #[fory(id = 6)]
    media: Option<Media>,
}

#[derive(ForyStruct, Clone, Debug, PartialEq)]
struct MediaContent {
    #[fory(id = 1)]
    media: Media,
    #[fory(id = 2)]
    images: Vec<Image>,
}

#[derive(ForyStruct, Clone, Debug, PartialEq)]
struct MediaContentList {
    #[fory(id = 1)]
    media_content_list: Vec<MediaContent>,
}

random! {
    Scalars { b, i8, i16, i32, i64, u8, u16, u32, u64, f32, f64, s, by }
    Encodings { fi32, fi64, fu32, fu64, ti64, tu64 }
    Halfs { h, bh }
    Point { x, label }
    Optionals { b, i8, i64, u32, f64, s, p, c, li, ts }
    Lists { li, lb, ls, lp, lf, lfi, lu, lt }
    OptLists { los, loi }
    Sets { ss, si, sl }
    Arrays { ab, ai8, ai16, ai32, ai64, au8, au16, au32, au64, af32, af64, af16, abf16 }
    Maps { msi, mis, msp, mlf, mbb }
    OptMaps { mso, mip }
    Temporal { ts, du, da, odu }
    Decimals { d, od }
    Enums { c, lc, mc }
    Unions { s, ls }
    Nested { lli, msl, lm }
    BigTags { a, b, c, d, e }
    Empty {  }
    Plain { a, s, p }
    Holder { f, lf }
    Leaf { val }
    Named { user_id, url_value, a1_b2, leaf, leaves, is_http2_ok, very_long_field_name_with_many_parts_1234567890 }
    Shared { v, name }
    NumericStruct { f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12 }
    NumericStructList { struct_list }
    Sample { int_value, long_value, float_value, double_value, short_value, char_value, boolean_value, int_value_boxed, long_value_boxed, float_value_boxed, double_value_boxed, short_value_boxed, char_value_boxed, boolean_value_boxed, int_array, long_array, float_array, double_array, short_array, char_array, boolean_array, string }
    SampleList { sample_list }
    Media { uri, title, width, height, format, duration, size, bitrate, has_bitrate, persons, player, copyright }
    Image { uri, title, width, height, size, media }
    MediaContent { media, images }
    MediaContentList { media_content_list }
}

#[derive(ForyEnum, Clone, Debug, Default, PartialEq)]
enum Color {
    #[default]
    Red,
    Green,
    Blue,
    Big,
}

#[derive(ForyEnum, Clone, Debug, Default, PartialEq)]
enum Player {
    #[default]
    Java,
    Flash,
}

#[derive(ForyEnum, Clone, Debug, Default, PartialEq)]
enum Size {
    #[default]
    Small,
    Large,
}

macro_rules! random_enums {
    ($($name:ident { $($case:ident),* })*) => {
        $(impl Random for $name {
            fn random(rng: &mut Rng) -> Self {
                let cases = [$(Self::$case),*];
                cases[rng.below(cases.len() as u64) as usize].clone()
            }
        })*
    };
}

random_enums! {
    Color { Red, Green, Blue, Big }
    Player { Java, Flash }
    Size { Small, Large }
}

#[derive(ForyUnion, Clone, Debug, PartialEq)]
enum Shape {
    #[fory(unknown)]
    Unknown(fory::UnknownCase),
    #[fory(id = 1, default)]
    Text(String),
    #[fory(id = 2)]
    Code(i32),
    #[fory(id = 3)]
    Point(Point),
    #[fory(id = 4)]
    Flag(bool),
    #[fory(id = 5)]
    Nums(Vec<i32>),
    #[fory(id = 6)]
    Color(Color),
}

impl Random for Shape {
    fn random(rng: &mut Rng) -> Self {
        match rng.below(6) {
            0 => Self::Text(Random::random(rng)),
            1 => Self::Code(Random::random(rng)),
            2 => Self::Point(Random::random(rng)),
            3 => Self::Flag(Random::random(rng)),
            4 => Self::Nums(Random::random(rng)),
            _ => Self::Color(Random::random(rng)),
        }
    }
}

/// Shares its targets among its fields.
#[derive(ForyStruct, Clone, Debug, PartialEq)]
struct References {
    #[fory(id = 1, nullable, ref = true)]
    a: Option<Rc<Shared>>,
    #[fory(id = 2, nullable, ref = true)]
    b: Option<Rc<Shared>>,
    #[fory(id = 3)]
    l: Vec<Rc<Shared>>,
}

impl Random for References {
    fn random(rng: &mut Rng) -> Self {
        let pool: Vec<Rc<Shared>> = (0..3).map(|_| Random::random(rng)).collect();
        let pick = |rng: &mut Rng| Rc::clone(&pool[rng.below(3) as usize]);
        Self {
            a: (rng.below(4) > 0).then(|| pick(rng)),
            b: (rng.below(4) > 0).then(|| pick(rng)),
            l: (0..rng.below(6)).map(|_| pick(rng)).collect(),
        }
    }
}

const SCHEMA: &str = "package oracle;
enum Color [id=100] { RED = 0; GREEN = 1; BLUE = 2; BIG = 3; }
union Shape [id=101] { string text = 1; int32 code = 2; Point point = 3; bool flag = 4;
  list<int32> nums = 5; Color color = 6; }
message Scalars [id=102] { bool b = 1; int8 i8 = 2; int16 i16 = 3; int32 i32 = 4; int64 i64 = 5;
  uint8 u8 = 6; uint16 u16 = 7; uint32 u32 = 8; uint64 u64 = 9; float32 f32 = 16;
  float64 f64 = 17; string s = 18; bytes by = 19; }
message Encodings [id=103] { fixed int32 fi32 = 1; fixed int64 fi64 = 2; fixed uint32 fu32 = 3;
  fixed uint64 fu64 = 4; tagged int64 ti64 = 5; tagged uint64 tu64 = 6; }
message Halfs [id=104] { float16 h = 1; bfloat16 bh = 2; }
message Point [id=105] { int32 x = 1; string label = 2; }
message Optionals [id=106] { optional bool b = 1; optional int8 i8 = 2; optional int64 i64 = 3;
  optional uint32 u32 = 4; optional float64 f64 = 5; optional string s = 6; Point p = 7;
  optional Color c = 8; optional list<int32> li = 9; optional timestamp ts = 10; }
message Lists [id=107] { list<int32> li = 1; list<bool> lb = 2; list<string> ls = 3;
  list<Point> lp = 4; list<float64> lf = 5; list<fixed int32> lfi = 6; list<uint64> lu = 7;
  list<timestamp> lt = 8; }
message OptLists [id=108] { list<optional string> los = 1; list<optional int32> loi = 2; }
message Sets [id=109] { set<string> ss = 1; set<int32> si = 2; set<int64> sl = 3; }
message Arrays [id=110] { array<bool> ab = 1; array<int8> ai8 = 2; array<int16> ai16 = 3;
  array<int32> ai32 = 4; array<int64> ai64 = 5; array<uint8> au8 = 6; array<uint16> au16 = 7;
  array<uint32> au32 = 8; array<uint64> au64 = 9; array<float32> af32 = 10;
  array<float64> af64 = 11; array<float16> af16 = 12; array<bfloat16> abf16 = 13; }
message Maps [id=111] { map<string, int32> msi = 1; map<int32, string> mis = 2;
  map<string, Point> msp = 3; map<int64, float64> mlf = 4; map<bool, bool> mbb = 5; }
message OptMaps [id=112] { map<string, optional string> mso = 1;
  map<int32, optional Point> mip = 2; }
message Temporal [id=113] { timestamp ts = 1; duration du = 2; date da = 3;
  optional duration odu = 4; }
message Decimals [id=114] { decimal d = 1; optional decimal od = 2; }
message Enums [id=115] { Color c = 1; list<Color> lc = 2; map<string, Color> mc = 3; }
message Unions [id=116] { Shape s = 1; list<Shape> ls = 2; }
message Nested [id=119] { list<list<int32>> lli = 1; map<string, list<int32>> msl = 2;
  list<map<string, int32>> lm = 3; }
message BigTags [id=120] { int32 a = 14; int32 b = 15; string c = 16; int64 d = 200;
  optional string e = 2000; }
message Empty [id=121] { }
message Plain [id=122, evolving=false] { int32 a = 1; string s = 2; Point p = 3; }
message Holder [id=123] { Plain f = 1; list<Plain> lf = 2; }
message Shared [id=124] { int32 v = 1; string name = 2; }
message References [id=125] { ref Shared a = 1; ref Shared b = 2; list<ref Shared> l = 3; }
";

const NAMED: &str = "package ora_cle.v1;
option enable_auto_type_id = false;
message Leaf { int32 val = 1; }
message Named { int32 user_id = 1; string url_value = 2; int64 a1_b2 = 3; Leaf leaf = 4;
  list<Leaf> leaves = 5; bool is_http2_ok = 6;
  string very_long_field_name_with_many_parts_1234567890 = 7; }
";

fn registered(mode: Mode, tracking: bool) -> Fory {
    let mut fory = Fory::builder()
        .xlang(true)
        .compatible(mode == Mode::Compatible)
        .track_ref(tracking)
        .max_dyn_depth(100)
        .build();
    macro_rules! register {
        ($($ty:ident = $id:literal),* $(,)?) => { $(fory.register::<$ty>($id).unwrap();)* };
    }
    register!(
        Color = 100,
        Scalars = 102,
        Encodings = 103,
        Halfs = 104,
        Point = 105,
        Optionals = 106,
        Lists = 107,
        OptLists = 108,
        Sets = 109,
        Arrays = 110,
        Maps = 111,
        OptMaps = 112,
        Temporal = 113,
        Decimals = 114,
        Enums = 115,
        Unions = 116,
        Nested = 119,
        BigTags = 120,
        Empty = 121,
        Plain = 122,
        Holder = 123,
        Shared = 124,
        References = 125,
        NumericStruct = 1,
        Sample = 2,
        Media = 3,
        Image = 4,
        MediaContent = 5,
        Player = 6,
        Size = 7,
        NumericStructList = 8,
        SampleList = 9,
        MediaContentList = 10,
    );
    fory.register_union::<Shape>(101).unwrap();
    fory.register_by_name::<Leaf>("ora_cle.v1.Leaf").unwrap();
    fory.register_by_name::<Named>("ora_cle.v1.Named").unwrap();
    fory
}

/// Writes random values with both, reads each other's bytes.
fn agree<T>(schema: &Schema, name: &str, tracking: bool)
where
    T: Random + Serializer<Target = T> + PartialEq + Debug + 'static,
{
    let id = schema.message_by_name(name).unwrap();
    for mode in [Mode::Compatible, Mode::Consistent] {
        let fory = registered(mode, tracking);
        for seed in 0..150 {
            let value = T::random(&mut Rng::new(seed));
            let theirs = fory.serialize(&value).unwrap();
            let place = || format!("{name}, {mode:?}, seed {seed}: {theirs:02x?}");
            let document = ours::decode(schema, id, mode, &theirs, DecodeOptions::default())
                .unwrap_or_else(|error| panic!("{}: {error}", place()));
            let written = ours::encode(schema, &document, mode, &Dialect::default()).unwrap();
            assert_eq!(written, theirs, "{}", place());
            let back: T = fory.deserialize(&written).unwrap();
            assert_eq!(back, value, "{}", place());
        }
    }
}

macro_rules! by_id {
    ($($test:ident: $ty:ident),* $(,)?) => {
        $(#[test]
        fn $test() {
            let schema = fdl::compile_text("oracle.fdl", SCHEMA).unwrap();
            agree::<$ty>(&schema, concat!("oracle.", stringify!($ty)), false);
        })*
    };
}

by_id!(
    scalars: Scalars,
    encodings: Encodings,
    halfs: Halfs,
    point: Point,
    optionals: Optionals,
    lists: Lists,
    opt_lists: OptLists,
    sets: Sets,
    arrays: Arrays,
    maps: Maps,
    opt_maps: OptMaps,
    temporal: Temporal,
    decimals: Decimals,
    enums: Enums,
    unions: Unions,
    nested: Nested,
    big_tags: BigTags,
    empty: Empty,
    plain: Plain,
    holder: Holder,
);

#[test]
fn references() {
    let schema = fdl::compile_text("oracle.fdl", SCHEMA).unwrap();
    agree::<References>(&schema, "oracle.References", true);
}

#[test]
fn named() {
    let mut schema = fdl::compile_text("named.fdl", NAMED).unwrap();
    let id = schema.message_by_name("ora_cle.v1.Named").unwrap();
    schema.without_field_ids(id);
    agree::<Leaf>(&schema, "ora_cle.v1.Leaf", false);
    agree::<Named>(&schema, "ora_cle.v1.Named", false);
}

#[test]
fn bench_models() {
    let proto = concat!(env!("CARGO_MANIFEST_DIR"), "/../../proto");
    let file = format!("{proto}/bench.proto");
    let schema = proto::compile_files(&[file.into()], &[proto.into()]).unwrap();
    agree::<NumericStruct>(&schema, "protobuf.NumericStruct", false);
    agree::<NumericStructList>(&schema, "protobuf.NumericStructList", false);
    agree::<Sample>(&schema, "protobuf.Sample", false);
    agree::<SampleList>(&schema, "protobuf.SampleList", false);
    agree::<MediaContent>(&schema, "protobuf.MediaContent", false);
    agree::<MediaContentList>(&schema, "protobuf.MediaContentList", false);
}
