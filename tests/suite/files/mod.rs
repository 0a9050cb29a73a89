//! What is read: files of every kind, columns of every type, missing values, and time.

mod calendar;
mod input;
mod missing;
mod parquet;
mod paths;
mod rows;
mod schemas;
mod stata;
mod types;
