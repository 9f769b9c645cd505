-- Prices that an account chose for models whose price is not known: JSON by model, or null.
alter table accounts add column stand_in_prices text;
