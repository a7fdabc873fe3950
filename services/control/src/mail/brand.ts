/** How mails look, and whom they name: the operator's brand. */
export interface Brand {
  readonly name: string
  /** Of a picture, `https://…`; null: the name is written instead. */
  readonly logoUrl: string | null
  /** `#rrggbb`, of buttons. */
  readonly color: string
  /** Where people get help: `https://…` or `mailto:…`; null for none. */
  readonly supportUrl: string | null
  /** Imprint or privacy policy; null for none. */
  readonly legalUrl: string | null
}

interface Variables {
  readonly BRAND_NAME: string
  readonly BRAND_LOGO_URL: string
  readonly BRAND_COLOR: string
  readonly SUPPORT_URL: string
  readonly LEGAL_URL: string
}

const orNull = (text: string): string | null => (text === '' ? null : text)

/** Reads checked variables. */
export const readBrand = (variables: Variables): Brand => ({
  name: variables.BRAND_NAME,
  logoUrl: orNull(variables.BRAND_LOGO_URL),
  color: variables.BRAND_COLOR.toLowerCase(),
  supportUrl: orNull(variables.SUPPORT_URL),
  legalUrl: orNull(variables.LEGAL_URL)
})

/** The color of text on a color: the one with more contrast (WCAG 2). */
export function textOn(color: string): '#ffffff' | '#111111' {
  const [red, green, blue] = [1, 3, 5].map((at) => linear(Number.parseInt(color.slice(at, at + 2), 16) / 255))
  const luminance = 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
  const dark = linear(0x11 / 255)
  return 1.05 / (luminance + 0.05) >= (luminance + 0.05) / (dark + 0.05) ? '#ffffff' : '#111111'
}

const linear = (part: number): number => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)

/** Checks addresses that mails link to. */
export const checkBrandUrls = (variables: Variables): string | null => {
  const bad = (['BRAND_LOGO_URL', 'SUPPORT_URL', 'LEGAL_URL'] as const).find(
    (name) => variables[name] !== '' && !isLink(variables[name], name === 'SUPPORT_URL')
  )
  if (bad === undefined) return null
  return `${bad}: must be an address with https://${bad === 'SUPPORT_URL' ? ' or mailto:' : ''}`
}

function isLink(text: string, canBeMail: boolean): boolean {
  if (!URL.canParse(text)) return false
  const { protocol } = new URL(text)
  return protocol === 'https:' || protocol === 'http:' || (canBeMail && protocol === 'mailto:')
}
