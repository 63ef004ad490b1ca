-- Run by the image of PostgreSQL when its volume is new: the database of MESSLATTE_CACHE_STORE.
create database cache;
