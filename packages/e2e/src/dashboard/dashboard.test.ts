/**
 * All tests of what a person sees are one file: they share a browser and a system, whose start takes more of a processor
 * than most of them.
 */
import './journey.ts'
import './every-page.ts'
import './second-factor.ts'
import './team.ts'
