//! The occupations of Much Seeming: branches (`occ1`) hold groups (`occ2`) hold titles (`occ3`), commonest first.
//!
//! The names are generic or made up. Some hold a comma, one holds quotation marks and one an é, as real ones do.

/// A branch of work (`occ1`), with the numbers that draw people to it and pay them.
#[derive(Debug, PartialEq)]
pub struct Branch {
    /// The level of `occ1`.
    pub name: &'static str,
    /// What working here adds to log income.
    pub log_income: f64,
    /// How strongly it draws people of each [`Education`](crate::Education).
    pub draws: [u32; 5],
    /// The factor on `draws` for men and for women.
    pub draws_sex: [u32; 2],
    /// The groups within the branch, commonest first.
    pub groups: &'static [Group],
}

/// A group of occupations (`occ2`) within a branch.
#[derive(Debug, PartialEq)]
pub struct Group {
    /// The level of `occ2`.
    pub name: &'static str,
    /// The levels of `occ3` within the group, commonest first.
    pub titles: &'static [&'static str],
}

/// One person's place in the three levels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Occupation {
    /// `occ1`
    pub branch: &'static Branch,
    /// `occ2`
    pub group: &'static Group,
    /// `occ3`
    pub title: &'static str,
}

/// Every branch in the order of the code book; the one for people not in paid work comes last.
pub fn branches() -> impl Iterator<Item = &'static Branch> {
    BRANCHES.iter().chain([&NOT_IN_PAID_WORK])
}

/// Every group, branch by branch.
pub fn groups() -> impl Iterator<Item = &'static Group> {
    branches().flat_map(|branch| branch.groups)
}

/// Every title, group by group.
pub(crate) fn titles() -> impl Iterator<Item = &'static str> {
    groups().flat_map(|group| group.titles).copied()
}

const fn group(name: &'static str, titles: &'static [&'static str]) -> Group {
    Group { name, titles }
}

/// The branch of people not in paid work; its groups are the activities other than paid work, in their order.
#[rustfmt::skip]
pub(crate) static NOT_IN_PAID_WORK: Branch = Branch {
    name: "Not in paid work",
    log_income: -0.45,
    draws: [0; 5],
    draws_sex: [0; 2],
    groups: &[
        group("Small child", &["At home with family", "In nursery", "With a childminder"]),
        group("School pupil", &["Day pupil", "Boarding pupil", "Pupil taught at home"]),
        group("Student", &["University student", "College student", "Student, exchange year", "Evening-class student"]),
        group("At home", &["Keeping house", "Caring for a relative", "Unable to work", "Living on savings"]),
        group("Between jobs", &["Looking for work", "Waiting to start a job", "Seasonal worker, off season"]),
        group("Retired", &["Retired, state pension", "Retired, works pension", "Retired, no pension", "Retired, abroad part-year"]),
    ],
};

/// The branches of paid work.
#[rustfmt::skip]
pub(crate) static BRANCHES: [Branch; 10] = [
    Branch {
        name: "Trade and transport",
        log_income: 0.0,
        draws: [14, 18, 12, 8, 5],
        draws_sex: [6, 5],
        groups: &[
            group("Shops", &["Shop assistant", "Cashier", "Shop manager", "Window dresser", "Antiques dealer"]),
            group("Road transport", &["Lorry driver", "Bus driver", "Van driver, parcels", "Taxi driver", "Driving instructor"]),
            group("Warehouses", &["Warehouse picker", "Forklift driver", "Stock clerk", "Packer", "Customs clerk"]),
            group("Railway", &["Train conductor", "Train driver", "Track worker", "Signaller", "Station manager"]),
            group("Market stalls", &["Greengrocer", "Cheese seller", "Second-hand bookseller", "Flower seller", "Knife grinder"]),
        ],
    },
    Branch {
        name: "Office, money and law",
        log_income: 0.25,
        draws: [1, 12, 9, 24, 24],
        draws_sex: [5, 6],
        groups: &[
            group("Offices", &["Office clerk", "Secretary", "Receptionist", "Office manager", "Translator, legal"]),
            group("Accounts and banking", &["Bookkeeper", "Bank clerk", "Accountant", "Auditor", "Actuary"]),
            group("Computing", &["Programmer", "Help-desk worker", "Network technician", "Data analyst", "Database keeper"]),
            group("Law", &["Paralegal", "Solicitor", "Notary's clerk", "Notary", "Judge"]),
            group("Insurance and property", &["Insurance agent", "Estate agent", "Loss adjuster", "Land surveyor", "Valuer"]),
        ],
    },
    Branch {
        name: "Health and care",
        log_income: 0.1,
        draws: [4, 10, 14, 18, 18],
        draws_sex: [2, 8],
        groups: &[
            group("Nursing", &["Nurse", "Nursing assistant", "Nurse, night shift", "Midwife", "Ward sister"]),
            group("Homes and visits", &["Care worker", "Home help", "Social worker", "Care-home cook", "Care-home manager"]),
            group("Medicine", &["General practitioner", "Hospital doctor", "Dentist", "Surgeon", "Ship's doctor"]),
            group("Therapy", &["Physiotherapist", "Speech therapist", "Psychologist", "Masseur", "Hearing-aid fitter"]),
            group("Laboratory and pharmacy", &["Pharmacy assistant", "Pharmacist", "Laboratory technician", "Radiographer", "Optician"]),
        ],
    },
    Branch {
        name: "Schools, science and culture",
        log_income: 0.12,
        draws: [1, 4, 5, 22, 34],
        draws_sex: [4, 7],
        groups: &[
            group("Schools", &["Primary teacher", "Secondary teacher", "Teaching assistant", "School caretaker", "Head teacher"]),
            group("Nurseries", &["Nursery teacher", "Nursery helper", "Playgroup leader", "Nursery manager"]),
            group("College", &["Lecturer", "Vocational trainer", "Librarian", "Professor", "Archivist"]),
            group("Research", &["Research assistant", "Marine biologist", "Statistician", "Weather observer", "Astronomer"]),
            group("Arts and news", &["Music teacher", "Journalist", "Graphic designer", "Actor", "Puppeteer"]),
        ],
    },
    Branch {
        name: "Building and repair",
        log_income: 0.08,
        draws: [16, 10, 16, 4, 2],
        draws_sex: [9, 1],
        groups: &[
            group("House building", &["Building labourer", "Bricklayer", "Carpenter", "Roofer", "Thatcher"]),
            group("Pipes and wires", &["Electrician", "Plumber", "Heating engineer", "Solar-panel fitter", "Lightning-rod fitter"]),
            group("Finishing", &["Painter and decorator", "Plasterer", "Tiler", "Floor layer", "Stained-glass glazier"]),
            group("Vehicles", &["Car mechanic", "Tyre fitter", "Panel beater", "Bicycle mechanic", "Coach builder"]),
            group("Roads and drains", &["Road mender", "Excavator driver", "Drain layer", "Site engineer", "Bridge painter"]),
        ],
    },
    Branch {
        name: "Food and hospitality",
        log_income: -0.15,
        draws: [18, 14, 9, 4, 2],
        draws_sex: [4, 6],
        groups: &[
            group("Kitchens", &["Kitchen helper", "Cook", "Canteen cook", "Chef", "Pastry chef"]),
            group("Tables and bars", &["Waiter", "Bartender", "Café waiter", "Wine waiter", "Innkeeper"]),
            group("Hotels", &["Room cleaner", "Hotel receptionist", "Night porter", "Hotel manager", "Bell ringer, hotel"]),
            group("Baking and butchery", &["Baker", "Butcher", "Bakery assistant", "Confectioner", "Sausage maker"]),
            group("Brewing and bottling", &["Bottling worker", "Brewer", "Cider maker", "Cellar keeper", "Hop taster"]),
        ],
    },
    Branch {
        name: "Workshops and making",
        log_income: 0.05,
        draws: [14, 10, 14, 5, 3],
        draws_sex: [7, 3],
        groups: &[
            group("Metal", &["Machine operator", "Welder", "Toolmaker", "Locksmith", "Bell founder"]),
            group("Wood and paper", &["Joiner", "Sawmill worker", "Cabinet maker", "Printer", "Bookbinder"]),
            group("Cloth and leather", &["Sewing machinist", "Laundry worker", "Tailor", "Shoemaker", "Weaver, hand loom"]),
            group("Factory floor", &["Assembler", "Quality inspector", "Packing-line worker", "Shift supervisor", "Production planner"]),
            group("Fine work", &["Watchmaker", "Goldsmith", "Potter", "Instrument maker", "Globe maker"]),
        ],
    },
    Branch {
        name: "Public service and safety",
        log_income: 0.15,
        draws: [2, 6, 6, 10, 9],
        draws_sex: [6, 5],
        groups: &[
            group("Town hall", &["Council clerk", "Registrar", "Town planner", "Tax officer", "Mayor's secretary"]),
            group("Police", &["Police officer", "Police clerk", "Detective", "Police inspector", "Dog handler"]),
            group("Fire and rescue", &["Firefighter", "Paramedic", "Ambulance driver", "Lifeguard", "Lifeboat coxswain"]),
            group("Streets and waste", &["Refuse collector", "Street sweeper", "Recycling sorter", "Traffic warden", "Lamp keeper"]),
            group("Post", &["Letter carrier", "Mail sorter", "Post-office clerk", "Postmaster"]),
        ],
    },
    Branch {
        name: "Farm, forest and garden",
        log_income: -0.1,
        draws: [16, 8, 7, 3, 2],
        draws_sex: [7, 4],
        groups: &[
            group("Animals", &["Dairy worker", "Cattle farmer", "Shepherd", "Poultry keeper", "Beekeeper"]),
            group("Crops", &["Farm labourer", "Crop farmer", "Tractor driver", "Fruit picker", "Seed grower"]),
            group("Gardens", &["Gardener", "Nursery grower", "Groundskeeper", "Tree surgeon", "Hedge-maze keeper"]),
            group("Forest", &["Forestry worker", "Forester", "Gamekeeper", "Charcoal burner"]),
            group("Vets and feed", &["Feed merchant", "Veterinary nurse", "Vet", "Farrier", "Milk tester"]),
        ],
    },
    Branch {
        name: "Harbour and sea",
        log_income: 0.02,
        draws: [14, 8, 8, 2, 1],
        draws_sex: [9, 2],
        groups: &[
            group("Fishing", &["Deckhand", "Net mender", "Skipper, coastal boat", "Lobster fisher", "Mate of the \"Second Glance\""]),
            group("Quays", &["Dock worker", "Crane operator, quay", "Harbour pilot", "Lock keeper", "Buoy tender"]),
            group("Ferries", &["Ferry hand", "Ticket clerk, ferry", "Ship's engineer", "Ferry captain", "Boat-hire attendant"]),
            group("Boat building", &["Shipwright", "Hull painter", "Marine electrician", "Rigger", "Sail maker"]),
            group("Fish trade", &["Fish filleter", "Cold-store worker", "Smokehouse worker", "Fish auctioneer", "Oyster grader"]),
        ],
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Activity;
    use std::collections::BTreeSet;

    #[test]
    fn no_two_levels_share_a_name() {
        let names: Vec<_> =
            titles().chain(groups().map(|g| g.name)).chain(branches().map(|b| b.name)).collect();
        let mut once = BTreeSet::new();
        let twice: Vec<_> = names.iter().filter(|name| !once.insert(**name)).collect();
        assert!(twice.is_empty(), "{twice:?}");
        assert!(titles().count() >= 200);
    }

    #[test]
    fn some_titles_need_quoting() {
        assert!(titles().filter(|title| title.contains(',')).count() >= 10);
        assert!(titles().any(|title| title.contains('"')));
    }

    #[test]
    fn those_not_in_paid_work_are_grouped_by_activity() {
        let groups: Vec<_> = NOT_IN_PAID_WORK.groups.iter().map(|group| group.name).collect();
        let activities: Vec<_> = Activity::ALL.iter().map(|activity| activity.label()).collect();
        assert_eq!(groups, activities[..6]);
        assert_eq!(Activity::ALL[6], Activity::InPaidWork);
    }
}
