import { type EmbeddedPart, replaceableParts, type Variables } from '../system/embedded.ts'

/** Where the demo's visitors ask for a plan without a price. Nobody gets this mail. */
const demoSalesUrl = 'mailto:sales@tollgate.example'

/** Control's further variables in the demo. */
export function demoControlEnv(env: Variables, embedded: ReadonlySet<EmbeddedPart>): Variables {
  // With a real service, other people may use the system.
  const isDemo = replaceableParts.every((part) => embedded.has(part))
  return isDemo && !env.SALES_URL && !env.SUPPORT_URL ? { SALES_URL: demoSalesUrl } : {}
}
