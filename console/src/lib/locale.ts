/** The reader's locale. Some values browsers report make Intl throw, so each is tried first. */
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
