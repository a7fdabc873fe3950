import { type EmbeddedPart, replaceableParts, type Variables } from '../system/embedded.ts'

/** Where the demo's visitors ask for a plan without a price. Nobody gets this mail. */
const demoSalesUrl = 'mailto:sales@tollgate.example'

/** Whether every part is embedded: with a real service, other people may use the system. */
export const isDemo = (embedded: ReadonlySet<EmbeddedPart>): boolean =>
  replaceableParts.every((part) => embedded.has(part))

/** Control's further variables in the demo. */
export function demoControlEnv(env: Variables, embedded: ReadonlySet<EmbeddedPart>): Variables {
  return isDemo(embedded) && !env.SALES_URL && !env.SUPPORT_URL ? { SALES_URL: demoSalesUrl } : {}
}
