/**
 * Copies, or says that it could not: the clipboard needs https or localhost. The caller then
 * selects the text, so that the person's own key copies it.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}
