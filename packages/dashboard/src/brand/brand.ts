/** The operator's brand, as control writes it into the page. */
export interface Brand {
  readonly name: string
  /** `https://…`; null: the built-in logo. */
  readonly logoUrl: string | null
  /** `#rrggbb` */
  readonly color: string
  /** `https://…` or `mailto:…`; null for none. */
  readonly supportUrl: string | null
  readonly legalUrl: string | null
  readonly salesUrl: string | null
}

/** For a page that control did not serve, such as that of the development server. */
const builtIn: Brand = {
  name: 'Tollgate',
  logoUrl: null,
  color: '#007565',
  supportUrl: null,
  legalUrl: null,
  salesUrl: null
}

export const brand: Brand = readBrand()

function readBrand(): Brand {
  const text = document.querySelector<HTMLMetaElement>('meta[name="brand"]')?.content ?? ''
  return text.startsWith('{"') ? (JSON.parse(text) as Brand) : builtIn
}

/** Gives the page the brand's color, from which `styles.css` derives its accents for both themes, and its icon. */
export function applyBrand(): void {
  document.documentElement.style.setProperty('--brand', brand.color)
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
  if (brand.logoUrl === null || icon === null) return
  icon.removeAttribute('type')
  icon.href = brand.logoUrl
}

/** The title of a browser's tab. */
export const titleOf = (page: string): string => `${page} · ${brand.name}`
