/** @returns the problem with `DOCS_URL`, or null */
export function checkDocsUrl({ DOCS_URL: url }: { DOCS_URL: string }): string | null {
  const isFine = url === '' || (/^https?:[/][/][^?#]+$/.test(url) && URL.canParse(url))
  return isFine ? null : 'DOCS_URL: must be an http:// or https:// URL without ? and #'
}

/** @returns the URL without slashes at its end; null if `DOCS_URL` is not set */
export function readDocsUrl(url: string): string | null {
  return url === '' ? null : url.replace(/[/]+$/, '')
}
