# Invented records, written by haven (R). Run in this folder: Rscript make.R
library(haven)
long <- paste(rep("0123456789", 30), collapse = "")
people <- data.frame(id = c("a1", "b2", "\u00e93", "d4", "e5", "f6"))
attr(people$id, "label") <- "Identifier"
people$sex <- labelled_spss(c(1, 2, 2, 1, 9, NA), c(male = 1, female = 2, "no answer" = 9), na_values = 9, label = "Sex of the person")
people$age <- structure(c(31, 47, 18, 99, 64, 5), label = "Age in years")
people$income <- labelled_spss(c(1200.5, -8, NA, 0.1, 1e6, -9), c(refused = -8, "not known" = -9), na_range = c(-9, -8), label = "Income")
people$scale <- labelled(c(0, 10, 5, 3, 7, NA), c("not at all" = 0, completely = 10))
people$born <- as.Date(c("1970-01-01", "1968-02-29", NA, "2001-12-31", "1900-01-01", "2024-02-29"))
people$seen <- as.POSIXct(c("2020-01-02 03:04:05", "1999-12-31 23:59:59", NA, "1970-01-01 00:00:00", "2000-02-29 12:00:00", "1960-01-01 00:00:01"), tz = "UTC")
people$town <- labelled_spss(c("N", "S", "S", "", "X", "N"), c(north = "N", south = "S", unknown = "X"), na_values = "X")
people$note <- c("short", long, "", "\u00fcber", "x", "y")
write_sav(people, "haven-bytes.sav", compress = "byte")
write_sav(people, "haven-plain.sav", compress = "none")
write_sav(people, "haven.zsav", compress = "zsav")

stata <- people
stata$sex <- labelled(c(1, 2, 2, 1, tagged_na("a"), NA), c(male = 1, female = 2, "no answer" = tagged_na("a")), label = "Sex of the person")
stata$income <- labelled(c(1200.5, tagged_na("b"), NA, 0.1, 1e6, tagged_na("c")), label = "Income")
stata$scale <- labelled(c(0L, 10L, 5L, 3L, 7L, NA), c("not at all" = 0L, completely = 10L))
stata$town <- c("N", "S", "S", "", "X", "N")
write_dta(stata, "haven-118.dta", version = 14)
stata$note <- substr(stata$note, 1, 200)
for (version in c(8, 10, 12, 13)) write_dta(stata, sprintf("haven-stata%d.dta", version), version = version)

sas <- people
sas$sex <- structure(c(1, 2, 2, 1, tagged_na("A"), NA), label = "Sex of the person")
sas$income <- structure(c(1200.5, tagged_na("B"), NA, 0.1, 1e6, tagged_na("C")), label = "Income")
sas$scale <- c(0, 10, 5, 3, 7, NA)
sas$town <- c("N", "S", "S", "", "X", "N")
attr(sas$born, "format.sas") <- "DATE9"
attr(sas$seen, "format.sas") <- "DATETIME20"
sas$note <- substr(sas$note, 1, 200)
write_xpt(sas, "haven-5.xpt", version = 5, name = "PEOPLE")
write_xpt(sas, "haven-8.xpt", version = 8, name = "people")
suppressWarnings(write_sas(sas, "haven.sas7bdat"))
