export interface OriginRules {
  /** Its subdomains are allowed over https; the domain itself is not. */
  readonly serviceDomain: string
  /** Exact origins that are also allowed. */
  readonly extraOrigins: readonly string[]
}

/** The longest host name in DNS, with its scheme. */
const maxOriginLength = 'https://'.length + 253

/**
 * Makes the test of the CORS rule: is an origin `https://<subdomain>.<service domain>`, or an extra origin? The expression is
 * anchored on both sides, and no repetition in it can match a text in two ways.
 */
export function originTest({ serviceDomain, extraOrigins }: OriginRules): (origin: string) => boolean {
  const domain = serviceDomain.replace(/[^a-z0-9-]/g, (character) => `\\${character}`)
  const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
  const subdomain = new RegExp(`^https://(?:${label}\\.)+${domain}$`)
  const extra = new Set(extraOrigins)
  return (origin) => extra.has(origin) || (origin.length <= maxOriginLength && subdomain.test(origin))
}
