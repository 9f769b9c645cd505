/** Lets the browser download something as a file. */
export function saveBlob(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  URL.revokeObjectURL(address)
}

export const saveText = (text: string, name: string, type: string): void =>
  saveBlob(new Blob([text], { type }), name)
