import { buildDashboard } from './build-dashboard.ts'
import { findStaleDigest } from './builds.ts'

const digest = findStaleDigest()
if (digest !== null) await buildDashboard(digest)
