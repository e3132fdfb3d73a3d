/** Sluice's changes to CLDR's suppressions. Each list is joined by "|". */
export interface Corrections {
  /** Never ends a sentence: a name or a number follows. */
  readonly suppressed?: string
  /**
   * Ends a sentence only if a capital follows. CLDR omits most of these, because UAX #29 sees the small
   * letter after them; a stream must decide before that letter arrives. Overrides entries of CLDR.
   */
  readonly doubtful?: string
  /** Listed by CLDR, but an ordinary last word in the text of agents ("Choose Sign In."). */
  readonly words?: string
}

/** Applied to every language. CLDR 46 has no "Dr." for English and no "Prof." for German. */
export const rootCorrections: Corrections = {
  suppressed: 'Dr.|Mr.|Mrs.|Ms.|Prof.|St.|approx.|ca.|cf.|e.g.|i.e.|vs.',
  doubtful: 'Co.|Corp.|Inc.|Jr.|Ltd.|Sr.|al.|etc.|max.|min.',
}

export const corrections: readonly (readonly [language: string, corrections: Corrections])[] = [
  ['cs', { suppressed: 'např.|tj.|tzn.|tzv.|viz.', doubtful: 'apod.|atd.|resp.' }],
  ['da', { suppressed: 'evt.|f.eks.|kl.|nr.|pga.', doubtful: 'osv.' }],
  [
    'de',
    {
      suppressed: 'Abb.|Bd.|Jh.|Tab.|bspw.|bzgl.|bzw.|d. h.|d.h.|gem.|ggü.|lt.|wg.|z. B.',
      doubtful: 'Max.|Min.|Mind.|Std.|usw.|zzt.|Ä.|ä.',
      words: 'Alt.|Best.|PIN.|Port.|So.|Test.',
    },
  ],
  ['el', { suppressed: 'Δρ.|Καθ.|Κος.', doubtful: 'κλπ.|κτλ.|περ.|σελ.' }],
  [
    'en',
    {
      suppressed: 'Eq.|Fig.|Figs.|Ft.|Gen.|Gov.|Hon.|Messrs.|Mx.|Sen.|Vol.|eq.|excl.|fig.|figs.|incl.|vol.',
      doubtful:
        'Apr.|Bros.|Jul.|Mon.|Oct.|Sat.|Thu.|Tue.|Wed.|dept.|ed.|eds.|est.|hr.|hrs.|lb.|lbs.|oz.|resp.|sec.',
      words: 'All.|As.|By.|Do.|Go.|Hat.|In.|Is.|Jam.|Job.|Joe.|Link.|Long.|OK.|Ok.|On.|Or.|PC.|Pro.|To.|Up.',
    },
  ],
  [
    'es',
    {
      suppressed: 'EE.|Ud.|Uds.|aprox.|núm.|p. ej.|pág.|págs.|tel.',
      doubtful: 'UU.|dom.|mar.|máx.|mín.',
      words: 'Bien.|Kit.|RAM.|Sol.',
    },
  ],
  ['fi', { suppressed: 'esim.|ts.', doubtful: 'jne.|yms.' }],
  [
    'fr',
    { suppressed: 'Mgr.|art.|c-à-d.|chap.|env.|num.|vol.', doubtful: 'apr.|av.|ex.|jeu.|mar.|mer.|sam.' },
  ],
  ['hi', { suppressed: 'डॉ.|प्रो.' }],
  ['it', { suppressed: 'Avv.|Dott.|art.|es.|sig.', doubtful: 'all.|ecc.|int.|on.|tab.|ver.' }],
  ['nl', { suppressed: 'bijv.|blz.|dhr.|dr.|drs.|evt.|incl.|mevr.|mr.|nr.', doubtful: 'enz.|resp.' }],
  ['pl', { suppressed: 'dr.|np.|por.|prof.|tj.|tzn.|tzw.|ul.|wg.|zob.', doubtful: 'itd.|itp.|ok.|tys.' }],
  ['pt', { suppressed: 'Sr.|Sra.|Sras.|Srs.|Srta.|aprox.|núm.', doubtful: 'com.|ex.|mar.|pol.|port.|res.' }],
  ['ru', { suppressed: 'им.|напр.|см.|табл.', doubtful: 'гг.|др.|мин.|млн.|млрд.|пр.|руб.|стр.|тыс.' }],
  ['sv', { suppressed: 'dvs.|kl.|nr.', doubtful: 'osv.|resp.' }],
  ['tr', { suppressed: 'bkz.|örn.', doubtful: 'vb.|vs.' }],
  ['uk', { suppressed: 'див.|макс.|міжн.|напр.|рис.|табл.|ім.', doubtful: 'грн.|млн.|млрд.|тис.' }],
]

/** Languages that write an ordinal as a number and a full stop ("am 3. Mai"). */
export const ordinalLanguages: ReadonlySet<string> = new Set(
  'bs cs da de et eu fi fo hr hu is lv nb nn no pl sk sl sr tr'.split(' '),
)
