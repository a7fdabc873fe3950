import { applyBrand } from './brand/brand.ts'
import { applyTheme, storedTheme } from './brand/theme.ts'

/** The build makes this a script of its own, which runs before the first paint: nobody sees another theme or color. */
applyTheme(storedTheme())
applyBrand()
