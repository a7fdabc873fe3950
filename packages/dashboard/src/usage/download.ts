const readWithinMs = 60_000

/** Has the browser save a text as a file. */
export function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // Some browsers read it only once they know where to save it, which may mean asking.
  setTimeout(() => URL.revokeObjectURL(url), readWithinMs)
}
