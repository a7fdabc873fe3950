export type OriginRules = {
  /** Subdomains of it are allowed over https, itself is not. */
  readonly serviceDomain: string
  /** Exact origins that are allowed besides. */
  readonly extraOrigins: readonly string[]
}

/** The longest host name that DNS allows, with its scheme. */
const longestOrigin = 'https://'.length + 253

/**
 * Makes the test of the service's CORS rule: is an origin `https://<subdomain>.<service domain>`, or in the list of extra
 * origins? The expression is anchored on both sides and has no repetition that can match a text in two ways.
 */
export function originTest({ serviceDomain, extraOrigins }: OriginRules): (origin: string) => boolean {
  const domain = serviceDomain.replace(/[^a-z0-9-]/g, (character) => `\\${character}`)
  const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
  const subdomain = new RegExp(`^https://(?:${label}\\.)+${domain}$`)
  const extra = new Set(extraOrigins)
  return (origin) => extra.has(origin) || (origin.length <= longestOrigin && subdomain.test(origin))
}
