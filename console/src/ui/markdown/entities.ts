// Character references of HTML, as Markdown allows them in text. Nothing is parsed as HTML for it:
// the policy forbids that.
const named: Readonly<Record<string, string>> = {
  amp: '&',
  apos: "'",
  asymp: '≈',
  bull: '•',
  cent: '¢',
  check: '✓',
  copy: '©',
  deg: '°',
  divide: '÷',
  euro: '€',
  frac12: '½',
  frac14: '¼',
  frac34: '¾',
  ge: '≥',
  gt: '>',
  harr: '↔',
  hellip: '…',
  infin: '∞',
  laquo: '«',
  larr: '←',
  ldquo: '“',
  le: '≤',
  lsquo: '‘',
  lt: '<',
  mdash: '—',
  micro: 'µ',
  middot: '·',
  minus: '−',
  nbsp: '\u00a0',
  ndash: '–',
  ne: '≠',
  para: '¶',
  plusmn: '±',
  pound: '£',
  quot: '"',
  raquo: '»',
  rarr: '→',
  rdquo: '”',
  reg: '®',
  rsquo: '’',
  sect: '§',
  shy: '\u00ad',
  sum: '∑',
  times: '×',
  trade: '™',
  yen: '¥',
}

/** Decodes the common ones; any other stays as it was written. */
export const decodeEntities = (text: string): string =>
  text.includes('&')
    ? text.replace(
        /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|(\w{2,8}));/g,
        (whole, decimal?: string, hex?: string, name?: string) => {
          if (name !== undefined) return Object.hasOwn(named, name) ? (named[name] ?? whole) : whole
          return characterOf(decimal === undefined ? Number.parseInt(hex ?? '', 16) : +decimal)
        },
      )
    : text

/** As CommonMark says: what is no character becomes the replacement character. */
const characterOf = (code: number): string =>
  code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)
    ? '\ufffd'
    : String.fromCodePoint(code)
