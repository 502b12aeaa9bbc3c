mod twins;
