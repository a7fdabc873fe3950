import { applyBrand, applyTheme, storedTheme } from './brand/brand.ts'

/** The build makes this a script of its own, which runs before the first paint: nobody sees another theme or color. */
applyTheme(storedTheme())
applyBrand()
