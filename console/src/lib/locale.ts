/**
 * The reader's locale. Browsers may report values that make Intl throw, so each is checked first.
 */
function safeLocale(): string {
  for (const tag of navigator.languages ?? []) {
    try {
      const [known] = Intl.getCanonicalLocales(tag)
      if (known) return known
    } catch {
      // "C" and "en_US" are seen in the wild; the next one may be fine.
    }
  }
  return 'en'
}

export const locale = safeLocale()
