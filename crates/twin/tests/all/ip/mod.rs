mod networks;
mod round_trip;
mod twins;
