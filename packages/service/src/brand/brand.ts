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
