/** Style sheets are imported for their side effects. */
declare module '*.css'

/** The part of the library that latin-font.ts uses. */
declare module 'subset-font' {
  interface SubsetOptions {
    readonly targetFormat: 'woff2'
    readonly variationAxes?: Readonly<
      Record<string, { readonly min: number; readonly max: number; readonly default: number }>
    >
  }
  export default function subsetFont(font: Buffer, text: string, options: SubsetOptions): Promise<Buffer>
}

/** What is used of the library, whose own types need libraries that are not installed. */
declare module '@scalar/api-reference' {
  interface Source {
    readonly title: string
    readonly slug: string
    readonly content: unknown
    readonly default?: boolean
  }
  /** See https://scalar.com/products/api-references/configuration. */
  export interface Settings {
    readonly sources: readonly Source[]
    readonly forceDarkModeState: 'dark' | 'light'
    readonly [name: string]: unknown
  }
  export function createApiReference(place: Element, settings: Settings): unknown
}
