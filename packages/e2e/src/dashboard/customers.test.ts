/**
 * What customers do in the dashboard. The tests share a browser and a system: starting these takes more CPU time than most of
 * the tests. The other files are pages.test.ts, failures.test.ts and operator/operators.test.ts, so that no file takes long.
 */
import './journey.ts'
import './keys.ts'
import './sessions.ts'
import './billing.ts'
import './webhooks.ts'
import './notices.ts'
import './audit.ts'
import './requests.ts'
import './usage.ts'
import './palette.ts'
import './provider-sign-in.ts'
import './second-factor.ts'
