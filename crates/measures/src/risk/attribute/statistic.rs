//! The numbers that an attack yields.

/// One number of an [`AttributeDisclosure`](super::AttributeDisclosure). A *class* is all records with the same keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttributeStatistic {
    /// Dorig: original records in classes of the original that have one target value, in per cent.
    Dorig,
    /// Dsyn: synthetic records in classes of the synthetic table that have one target value, in per cent.
    Dsyn,
    /// iS: original records whose keys occur in the synthetic table, in per cent.
    Is,
    /// DiS: original records whose keys are in the synthetic table with one target value, in per cent.
    Dis,
    /// DiSCO: those of DiS whose own target value it is, in per cent.
    Disco,
    /// DiSDiO: those of DiSCO whose class has one target value in the original too, in per cent.
    Disdio,
    /// The largest number of original records of one class that DiSCO counts.
    MaxDenom,
    /// The mean number of original records over the classes that DiSCO counts.
    MeanDenom,
    /// baseCAPd: Σ p², p the shares of the target values in the original, in per cent: guessing without keys.
    BaseCapD,
    /// CAPd: the mean over original records of the share of their target value in their class of the original, in per cent.
    CapD,
    /// CAPs: the same within the synthetic table, in per cent.
    CapS,
    /// DCAP: the mean over original records of the share of their target value in their class of the synthetic table, zero where
    /// the class is absent from it, in per cent.
    Dcap,
    /// TCAP as R's synthpop defines it: DiSCO among the original records whose keys occur in the synthetic table, in per cent.
    Tcap,
    /// TCAP as Taub & Elliot (2019, eq. 8-9) define it: over the synthetic records with WEAP = 1, the mean share of their target
    /// value in their class of the original; records whose class the original lacks are left out. In [0, 1].
    TcapTaub,
    /// Synthetic records with WEAP = 1: those whose class has one target value in the synthetic table. In [0, 1].
    Weap1Share,
    /// Those of them whose keys the original lacks, so that their TCAP is undefined. In [0, 1].
    UndefinedShare,
    /// What DiSCO is expected to be if the target had nothing to do with the keys: Σ y pˢ, y the records of a class with a target value whose share of the
    /// synthetic table is p, s the synthetic records of the class; in per cent. Margins alone disclose that much.
    DiscoMargins,
    /// DiSCO less that: what is disclosed beyond the margins, in percentage points.
    DiscoExcess,
    /// Original records whose target all other original records with the same keys, at least one, share, or all others with one of the keys, in per
    /// cent. What is true of a whole group is learned from every true file, also from one without the person.
    DiscoOthers,
}

impl AttributeStatistic {
    /// All of them, in the order of their cards.
    pub const ALL: [Self; 19] = [
        Self::Dorig,
        Self::Dsyn,
        Self::Is,
        Self::Dis,
        Self::Disco,
        Self::Disdio,
        Self::MaxDenom,
        Self::MeanDenom,
        Self::BaseCapD,
        Self::CapD,
        Self::CapS,
        Self::Dcap,
        Self::Tcap,
        Self::TcapTaub,
        Self::Weap1Share,
        Self::UndefinedShare,
        Self::DiscoMargins,
        Self::DiscoExcess,
        Self::DiscoOthers,
    ];
}
