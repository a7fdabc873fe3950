import { Type } from 'typebox'
import { type Brand, builtInBrand } from './brand.ts'

/** Without control characters, and without those that would turn the rest of a title or a sentence. */
const printable = '^[^\\u0000-\\u001f\\u007f\\u202a-\\u202e\\u2066-\\u2069]+$'

/** The settings of the brand, for the schemas of programs. Check them with {@link checkBrandUrls}, too. */
export const brandVariables = {
  /** What mails and the dashboard call this service. */
  BRAND_NAME: Type.String({
    minLength: 1,
    maxLength: 60,
    pattern: printable,
    must: 'a name in one line, without characters that turn its direction',
    default: builtInBrand.name
  }),
  /** A picture for the top of mails and pages, 32 pixels high: `https://…`. */
  BRAND_LOGO_URL: Type.String({ default: '' }),
  /** The color of buttons and links in mails and in the dashboard. */
  BRAND_COLOR: Type.String({
    pattern: '^#[0-9a-fA-F]{6}$',
    must: 'a color such as #007565',
    default: builtInBrand.color
  }),
  /** Where people get help: `https://…` or `mailto:…`. */
  SUPPORT_URL: Type.String({ default: '' }),
  /** An imprint or privacy policy: `https://…`. */
  LEGAL_URL: Type.String({ default: '' }),
  /** Where people ask for a plan without a price, such as Enterprise: `https://…` or `mailto:…`. */
  SALES_URL: Type.String({ default: '' })
}

interface Variables {
  readonly BRAND_NAME: string
  readonly BRAND_LOGO_URL: string
  readonly BRAND_COLOR: string
  readonly SUPPORT_URL: string
  readonly LEGAL_URL: string
  readonly SALES_URL: string
}

const orNull = (text: string): string | null => (text === '' ? null : text)

/** Reads checked variables. */
export const readBrand = (variables: Variables): Brand => ({
  name: variables.BRAND_NAME,
  logoUrl: orNull(variables.BRAND_LOGO_URL),
  color: variables.BRAND_COLOR.toLowerCase(),
  supportUrl: orNull(variables.SUPPORT_URL),
  legalUrl: orNull(variables.LEGAL_URL),
  salesUrl: orNull(variables.SALES_URL)
})

const links = [
  ['BRAND_LOGO_URL', false],
  ['SUPPORT_URL', true],
  ['LEGAL_URL', false],
  ['SALES_URL', true]
] as const

/** Checks the addresses that mails and the dashboard link to. */
export function checkBrandUrls(variables: Variables): string | null {
  const bad = links.find(([name, canBeMail]) => variables[name] !== '' && !isLink(variables[name], canBeMail))
  if (bad === undefined) return null
  const [name, canBeMail] = bad
  return `${name}: must be an address with https://${canBeMail ? ' or mailto:' : ''}`
}

function isLink(text: string, canBeMail: boolean): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, host } = new URL(text)
  // URLs allow `;` and more in a host. In the content security policy, it would begin another rule.
  if (/[^a-z0-9.:[\]_-]/i.test(host)) return false
  return protocol === 'https:' || protocol === 'http:' || (canBeMail && protocol === 'mailto:')
}
