import { hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Brand, textOn } from '@tollgate/service/brand/brand.ts'

/** The files that the dashboard's build made for the public pages, as `site.json` of the build names them. */
interface BuiltFiles {
  readonly stylesheet: string
  readonly script: string
  readonly font: string
}

export const brandStylesheetPath = '/site/brand.css'
export const iconPath = '/site/icon.svg'

/** A small file that control makes of the brand. Its address changes with its content. */
export interface MadeFile {
  readonly path: string
  readonly href: string
  readonly type: string
  readonly body: string
}

export interface SiteAssets extends BuiltFiles {
  /** Gives the stylesheet the operator's color: the content security policy allows no inline styles. */
  readonly brandStylesheet: MadeFile
  /** Shown in the tabs of browsers unless the operator has a logo. */
  readonly icon: MadeFile
}

/**
 * Reads which files the public pages need.
 *
 * @param build a build of the dashboard
 * @returns null if the build is missing, or of a release without public pages
 */
export function readSiteAssets(build: string, brand: Brand): SiteAssets | null {
  const list = join(build, 'site.json')
  if (!existsSync(list)) return null
  const files = JSON.parse(readFileSync(list, 'utf8')) as BuiltFiles
  return {
    ...files,
    brandStylesheet: makeFile(brandStylesheetPath, 'text/css; charset=utf-8', `:root{--brand:${brand.color}}\n`),
    icon: makeFile(iconPath, 'image/svg+xml', drawIcon(brand.color))
  }
}

const makeFile = (path: string, type: string, body: string): MadeFile => ({
  path,
  href: `${path}?v=${hash('sha256', body, 'hex').slice(0, 8)}`,
  type,
  body
})

/** The sign of the dashboard in the operator's color. */
const drawIcon = (color: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="${color}"/><path d="M9 24V9M9 13l15-4M6 24h8" fill="none" stroke="${textOn(color)}" stroke-width="3" stroke-linecap="round"/></svg>\n`
