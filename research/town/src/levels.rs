//! The code lists of the variables with few levels, in the order of the code book.

macro_rules! levels {
    ($($(#[$doc:meta])* $name:ident { $($level:ident = $label:literal,)+ })+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $(#[doc = concat!("`", $label, "`")] $level,)+ }

        impl $name {
            /// Every level, in the order of the code book.
            pub const ALL: &[$name] = &[$($name::$level,)+];

            /// The level as the table writes it.
            pub const fn label(self) -> &'static str {
                match self { $($name::$level => $label,)+ }
            }
        }
    )+};
}

levels! {
    /// Sex.
    Sex { Male = "MALE", Female = "FEMALE", }

    /// Where in town someone lives.
    District {
        OldMarket = "Old Market",
        HarbourSide = "Harbour Side",
        StAnnesHill = "St Anne's Hill",
        MillLane = "Mill Lane",
        StationQuarter = "Station Quarter",
        OrchardEnd = "Orchard End",
        NewFields = "New Fields",
        LighthousePoint = "Lighthouse Point",
    }

    /// The highest education finished, lowest first.
    Education {
        Primary = "PRIMARY OR LESS",
        Secondary = "SECONDARY",
        Vocational = "VOCATIONAL",
        Bachelor = "BACHELOR",
        Master = "MASTER OR MORE",
    }

    /// Marital status.
    Marital { Single = "SINGLE", Married = "MARRIED", Widowed = "WIDOWED", Divorced = "DIVORCED", }

    /// What someone does all day. Not a column of the table: all but the last are the `occ2` of people not in paid work.
    Activity {
        SmallChild = "Small child",
        SchoolPupil = "School pupil",
        Student = "Student",
        AtHome = "At home",
        BetweenJobs = "Between jobs",
        Retired = "Retired",
        InPaidWork = "In paid work",
    }

    /// Disability. `None` is a value like the others and means that there is none; it does not mean "not known".
    Disability {
        None = "None",
        Mobility = "Mobility",
        Hearing = "Hearing",
        Sight = "Sight",
        Learning = "Learning",
        Speech = "Speech",
        Several = "Several, severe",
        Deafblind = "Deafblind",
    }
}
