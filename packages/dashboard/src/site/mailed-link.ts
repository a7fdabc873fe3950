/**
 * Passes the link of a mail on to the sign-in page. The identity provider sends people to the root of the site if it
 * does not know the page that a mail named.
 */
export function openMailedLink(): void {
  const { pathname, hash } = window.location
  const isMailed = /[#&](error|error_code|token_hash|access_token)=/.test(hash)
  if (pathname === '/' && isMailed) window.location.replace(`/login${hash}`)
}
