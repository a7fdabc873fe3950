import { findStaleDigest } from './builds.ts'
import { generateSources } from './generated-sources.ts'

await generateSources()
const digest = findStaleDigest()
if (digest !== null) {
  // It imports what was generated.
  const { buildDashboard } = await import('./build-dashboard.ts')
  await buildDashboard(digest)
}
