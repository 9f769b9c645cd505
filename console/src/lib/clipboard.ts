/**
 * Copies the text; false if that failed, since the clipboard needs https or localhost. The caller
 * then selects the text, so that the person can copy it with the keyboard.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}
