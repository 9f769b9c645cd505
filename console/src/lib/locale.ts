/** The reader's locale. Some values that browsers report make Intl throw, so each is tested. */
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
