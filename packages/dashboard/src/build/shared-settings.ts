import type { InlineConfig } from 'vite'
import { packageDir } from './builds.ts'

/** Settings of everything that the build makes. */
export const sharedSettings: InlineConfig = { configFile: false, envDir: false, root: packageDir, logLevel: 'warn' }
