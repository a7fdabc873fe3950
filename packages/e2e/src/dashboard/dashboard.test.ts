/**
 * All browser tests are one file, because they share a browser and a system. Starting these takes more CPU time than most
 * of the tests.
 */
import './journey.ts'
// Before the test that replaces the identity server, which also takes control's mails.
import './operator/real-system.ts'
import './every-page.ts'
import './keys.ts'
import './sessions.ts'
import './billing.ts'
import './api-types.ts'
import './second-factor.ts'
import './team.ts'
import './operator/journey.ts'
import './operator/every-page.ts'
