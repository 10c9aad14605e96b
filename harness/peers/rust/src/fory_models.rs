//! The shared models as Fory's Rust library declares them.

use fory::{ForyEnum, ForyStruct};

/// `bench.proto`.
#[allow(missing_docs)]
pub mod protobuf {
    use super::*;
    #[allow(unused_imports)]
    use std::collections::HashMap;

    #[derive(ForyEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Player {
        #[default]
        Java = 0,
        Flash = 1,
    }

    #[derive(ForyEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Size {
        #[default]
        Small = 0,
        Large = 1,
    }

    #[derive(ForyStruct, Clone, Debug, Default, PartialEq)]
    pub struct NumericStruct {
        #[fory(id = 1)]
        pub f1: i32,
        #[fory(id = 2)]
        pub f2: i32,
        #[fory(id = 3)]
        pub f3: i32,
        #[fory(id = 4)]
        pub f4: i32,
        #[fory(id = 5)]
        pub f5: i32,
        #[fory(id = 6)]
        pub f6: i32,
        #[fory(id = 7)]
        pub f7: i32,
        #[fory(id = 8)]
        pub f8: i32,
        #[fory(id = 9)]
        pub f9: i32,
        #[fory(id = 10)]
        pub f10: i32,
        #[fory(id = 11)]
        pub f11: i32,
        #[fory(id = 12)]
        pub f12: i32,
    }

    #[derive(ForyStruct, Clone, Debug, Default, PartialEq)]
    pub struct FixedNumericStruct {
        #[fory(id = 1, encoding = fixed)]
        pub f1: i32,
        #[fory(id = 2, encoding = fixed)]
        pub f2: i32,
        #[fory(id = 3, encoding = fixed)]
        pub f3: i32,
        #[fory(id = 4, encoding = fixed)]
        pub f4: i32,
        #[fory(id = 5, encoding = fixed)]
        pub f5: i32,
        #[fory(id = 6, encoding = fixed)]
        pub f6: i32,
        #[fory(id = 7, encoding = fixed)]
        pub f7: i32,
        #[fory(id = 8, encoding = fixed)]
        pub f8: i32,
        #[fory(id = 9, encoding = fixed)]
        pub f9: i32,
        #[fory(id = 10, encoding = fixed)]
        pub f10: i32,
        #[fory(id = 11, encoding = fixed)]
        pub f11: i32,
        #[fory(id = 12, encoding = fixed)]
        pub f12: i32,
    }

    #[derive(ForyStruct, Clone, Debug, Default, PartialEq)]
    pub struct NumericStructList {
        #[fory(id = 1)]
        pub struct_list: Vec<NumericStruct>,
    }

    #[derive(ForyStruct, Clone, Debug, Default, PartialEq)]
    pub struct Sample {
        #[fory(id = 1)]
        pub int_value: i32,
        #[fory(id = 2)]
        pub long_value: i64,
        #[fory(id = 3)]
        pub float_value: f32,
        #[fory(id = 4)]
        pub double_value: f64,
        #[fory(id = 5)]
        pub short_value: i32,
        #[fory(id = 6)]
        pub char_value: i32,
        #[fory(id = 7)]
        pub boolean_value: bool,
        #[fory(id = 8)]
        pub int_value_boxed: i32,
        #[fory(id = 9)]
        pub long_value_boxed: i64,
        #[fory(id = 10)]
        pub float_value_boxed: f32,
        #[fory(id = 11)]
        pub double_value_boxed: f64,
        #[fory(id = 12)]
        pub short_value_boxed: i32,
        #[fory(id = 13)]
        pub char_value_boxed: i32,
        #[fory(id = 14)]
        pub boolean_value_boxed: bool,
        #[fory(id = 15, array)]
        pub int_array: Vec<i32>,
        #[fory(id = 16, array)]
        pub long_array: Vec<i64>,
        #[fory(id = 17, array)]
        pub float_array: Vec<f32>,
        #[fory(id = 18, array)]
        pub double_array: Vec<f64>,
        #[fory(id = 19, array)]
        pub short_array: Vec<i32>,
        #[fory(id = 20, array)]
        pub char_array: Vec<i32>,
        #[fory(id = 21, array)]
        pub boolean_array: Vec<bool>,
        #[fory(id = 22)]
        pub string: String,
    }

    #[derive(ForyStruct, Clone, Debug, Default, PartialEq)]
    pub struct SampleList {
        #[fory(id = 1)]
        pub sample_list: Vec<Sample>,
    }

    #[derive(ForyStruct, Clone, Debug, Default, PartialEq)]
    pub struct Media {
        #[fory(id = 1)]
        pub uri: String,
        #[fory(id = 2)]
        pub title: Option<String>,
        #[fory(id = 3)]
        pub width: i32,
        #[fory(id = 4)]
        pub height: i32,
        #[fory(id = 5)]
        pub format: String,
        #[fory(id = 6)]
        pub duration: i64,
        #[fory(id = 7)]
        pub size: i64,
        #[fory(id = 8)]
        pub bitrate: i32,
        #[fory(id = 9)]
        pub has_bitrate: bool,
        #[fory(id = 10)]
        pub persons: Vec<String>,
        #[fory(id = 11)]
        pub player: Player,
        #[fory(id = 12)]
        pub copyright: String,
    }

    #[derive(ForyStruct, Clone, Debug, Default, PartialEq)]
    pub struct Image {
        #[fory(id = 1)]
        pub uri: String,
        #[fory(id = 2)]
        pub title: Option<String>,
        #[fory(id = 3)]
        pub width: i32,
        #[fory(id = 4)]
        pub height: i32,
        #[fory(id = 5)]
        pub size: Size,
        #[fory(id = 6)]
        pub media: Option<Media>,
    }

    #[derive(ForyStruct, Clone, Debug, Default, PartialEq)]
    pub struct MediaContent {
        #[fory(id = 1)]
        pub media: Media,
        #[fory(id = 2)]
        pub images: Vec<Image>,
    }

    #[derive(ForyStruct, Clone, Debug, Default, PartialEq)]
    pub struct MediaContentList {
        #[fory(id = 1)]
        pub media_content_list: Vec<MediaContent>,
    }
}

/// `suite.proto`.
#[allow(missing_docs)]
pub mod suite {
    use super::*;
    #[allow(unused_imports)]
    use std::collections::HashMap;

    #[derive(ForyStruct, Clone, Debug, Default, PartialEq)]
    pub struct SimpleStruct {
        #[fory(id = 1)]
        pub id: i32,
        #[fory(id = 2)]
        pub name: String,
        #[fory(id = 3)]
        pub active: bool,
        #[fory(id = 4)]
        pub score: f64,
    }

    #[derive(ForyStruct, Clone, Debug, Default, PartialEq)]
    pub struct Address {
        #[fory(id = 1)]
        pub street: String,
        #[fory(id = 2)]
        pub city: String,
        #[fory(id = 3)]
        pub country: String,
        #[fory(id = 4)]
        pub zip_code: String,
    }

    #[derive(ForyStruct, Clone, Debug, Default, PartialEq)]
    pub struct Person {
        #[fory(id = 1)]
        pub name: String,
        #[fory(id = 2)]
        pub age: i32,
        #[fory(id = 3)]
        pub address: Option<Address>,
        #[fory(id = 4)]
        pub hobbies: Vec<String>,
        #[fory(id = 5)]
        pub metadata: HashMap<String, String>,
        #[fory(id = 6)]
        pub created_at: fory::Timestamp,
    }

    #[derive(ForyStruct, Clone, Debug, Default, PartialEq)]
    pub struct Company {
        #[fory(id = 1)]
        pub name: String,
        #[fory(id = 2)]
        pub employees: Vec<Person>,
        #[fory(id = 3)]
        pub offices: HashMap<String, Address>,
        #[fory(id = 4)]
        pub is_public: bool,
    }

    #[derive(ForyStruct, Clone, Debug, Default, PartialEq)]
    pub struct Product {
        #[fory(id = 1)]
        pub id: String,
        #[fory(id = 2)]
        pub name: String,
        #[fory(id = 3)]
        pub price: f64,
        #[fory(id = 4)]
        pub categories: Vec<String>,
        #[fory(id = 5)]
        pub attributes: HashMap<String, String>,
    }

    #[derive(ForyStruct, Clone, Debug, Default, PartialEq)]
    pub struct OrderItem {
        #[fory(id = 1)]
        pub product: Option<Product>,
        #[fory(id = 2)]
        pub quantity: i32,
        #[fory(id = 3)]
        pub unit_price: f64,
        #[fory(id = 4)]
        pub customizations: HashMap<String, String>,
    }

    #[derive(ForyStruct, Clone, Debug, Default, PartialEq)]
    pub struct Customer {
        #[fory(id = 1)]
        pub id: String,
        #[fory(id = 2)]
        pub name: String,
        #[fory(id = 3)]
        pub email: String,
        #[fory(id = 4)]
        pub phone_numbers: Vec<String>,
        #[fory(id = 5)]
        pub preferences: HashMap<String, String>,
        #[fory(id = 6)]
        pub member_since: fory::Timestamp,
    }

    #[derive(ForyStruct, Clone, Debug, Default, PartialEq)]
    pub struct Order {
        #[fory(id = 1)]
        pub id: String,
        #[fory(id = 2)]
        pub customer: Option<Customer>,
        #[fory(id = 3)]
        pub items: Vec<OrderItem>,
        #[fory(id = 4)]
        pub total_amount: f64,
        #[fory(id = 5)]
        pub status: String,
        #[fory(id = 6)]
        pub order_date: fory::Timestamp,
        #[fory(id = 7)]
        pub metadata: HashMap<String, String>,
    }

    #[derive(ForyStruct, Clone, Debug, Default, PartialEq)]
    pub struct ECommerceData {
        #[fory(id = 1)]
        pub orders: Vec<Order>,
        #[fory(id = 2)]
        pub customers: Vec<Customer>,
        #[fory(id = 3)]
        pub products: Vec<Product>,
        #[fory(id = 4)]
        pub order_lookup: HashMap<String, Order>,
    }

    #[derive(ForyEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum LogLevel {
        #[default]
        Unknown = 0,
        Debug = 1,
        Info = 2,
        Warn = 3,
        Error = 4,
        Fatal = 5,
    }

    #[derive(ForyStruct, Clone, Debug, Default, PartialEq)]
    pub struct LogEntry {
        #[fory(id = 1)]
        pub id: String,
        #[fory(id = 2)]
        pub level: LogLevel,
        #[fory(id = 3)]
        pub message: String,
        #[fory(id = 4)]
        pub service: String,
        #[fory(id = 5)]
        pub timestamp: fory::Timestamp,
        #[fory(id = 6)]
        pub context: HashMap<String, String>,
        #[fory(id = 7)]
        pub tags: Vec<String>,
        #[fory(id = 8)]
        pub duration_ms: f64,
    }

    #[derive(ForyStruct, Clone, Debug, Default, PartialEq)]
    pub struct UserProfile {
        #[fory(id = 1)]
        pub user_id: String,
        #[fory(id = 2)]
        pub username: String,
        #[fory(id = 3)]
        pub email: String,
        #[fory(id = 4)]
        pub preferences: HashMap<String, String>,
        #[fory(id = 5)]
        pub permissions: Vec<String>,
        #[fory(id = 6)]
        pub last_login: fory::Timestamp,
        #[fory(id = 7)]
        pub is_active: bool,
    }

    #[derive(ForyStruct, Clone, Debug, Default, PartialEq)]
    pub struct APIMetrics {
        #[fory(id = 1)]
        pub endpoint: String,
        #[fory(id = 2)]
        pub request_count: i64,
        #[fory(id = 3)]
        pub avg_response_time: f64,
        #[fory(id = 4)]
        pub error_count: i64,
        #[fory(id = 5)]
        pub status_codes: HashMap<String, i64>,
        #[fory(id = 6)]
        pub measured_at: fory::Timestamp,
    }

    #[derive(ForyStruct, Clone, Debug, Default, PartialEq)]
    pub struct SystemData {
        #[fory(id = 1)]
        pub logs: Vec<LogEntry>,
        #[fory(id = 2)]
        pub users: Vec<UserProfile>,
        #[fory(id = 3)]
        pub metrics: Vec<APIMetrics>,
        #[fory(id = 4)]
        pub system_info: HashMap<String, String>,
    }
}

/// A library instance that knows all types; `compatible` or consistent.
///
/// # Errors
/// When a registration is refused.
pub fn registered(compatible: bool) -> Result<fory::Fory, fory::Error> {
    let mut fory = fory::Fory::builder()
        .xlang(true)
        .compatible(compatible)
        .build();
    fory.register::<protobuf::Player>(6)?;
    fory.register::<protobuf::Size>(7)?;
    fory.register::<protobuf::NumericStruct>(1)?;
    fory.register::<protobuf::FixedNumericStruct>(11)?;
    fory.register::<protobuf::NumericStructList>(8)?;
    fory.register::<protobuf::Sample>(2)?;
    fory.register::<protobuf::SampleList>(9)?;
    fory.register::<protobuf::Media>(3)?;
    fory.register::<protobuf::Image>(4)?;
    fory.register::<protobuf::MediaContent>(5)?;
    fory.register::<protobuf::MediaContentList>(10)?;
    fory.register::<suite::SimpleStruct>(100)?;
    fory.register::<suite::Address>(200)?;
    fory.register::<suite::Person>(201)?;
    fory.register::<suite::Company>(202)?;
    fory.register::<suite::Product>(300)?;
    fory.register::<suite::OrderItem>(301)?;
    fory.register::<suite::Customer>(302)?;
    fory.register::<suite::Order>(303)?;
    fory.register::<suite::ECommerceData>(304)?;
    fory.register::<suite::LogLevel>(404)?;
    fory.register::<suite::LogEntry>(400)?;
    fory.register::<suite::UserProfile>(401)?;
    fory.register::<suite::APIMetrics>(402)?;
    fory.register::<suite::SystemData>(403)?;
    Ok(fory)
}
