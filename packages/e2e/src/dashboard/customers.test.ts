/**
 * What customers do with keys, requests and money. The tests share a browser and a system: starting these takes more CPU time
 * than most of the tests. The other files beside it exist so that no file takes long.
 */
import './journey.ts'
import './keys.ts'
import './playground.ts'
import './billing.ts'
import './audit.ts'
import './requests.ts'
import './usage.ts'
