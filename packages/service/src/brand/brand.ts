import { Type } from 'typebox'

/** How mails and the dashboard look, and whom they name: the operator's brand. */
export interface Brand {
  readonly name: string
  /** Of a picture, `https://…`; null: the name is written instead. */
  readonly logoUrl: string | null
  /** `#rrggbb`, of buttons and links. */
  readonly color: string
  /** Where people get help: `https://…` or `mailto:…`; null for none. */
  readonly supportUrl: string | null
  /** Imprint or privacy policy; null for none. */
  readonly legalUrl: string | null
  /** Where people ask for a plan without a price: `https://…` or `mailto:…`; null for none. */
  readonly salesUrl: string | null
}

/** The brand without settings. */
export const builtInBrand: Brand = {
  name: 'Tollgate',
  logoUrl: null,
  color: '#007565',
  supportUrl: null,
  legalUrl: null,
  salesUrl: null
}

/** The color of text on a color: the one with more contrast (WCAG 2). */
export function textOn(color: string): '#ffffff' | '#111111' {
  const [red, green, blue] = [1, 3, 5].map((at) => linear(Number.parseInt(color.slice(at, at + 2), 16) / 255))
  const luminance = 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
  const dark = linear(0x11 / 255)
  return 1.05 / (luminance + 0.05) >= (luminance + 0.05) / (dark + 0.05) ? '#ffffff' : '#111111'
}

const linear = (part: number): number => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)

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

const links = [
  ['BRAND_LOGO_URL', false],
  ['SUPPORT_URL', true],
  ['LEGAL_URL', false],
  ['SALES_URL', true]
] as const

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
