const revokeAfterMs = 60_000

/** Makes the browser save a text as a file. */
export function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // Some browsers read the URL only after the user has chosen a place for the file.
  setTimeout(() => URL.revokeObjectURL(url), revokeAfterMs)
}
