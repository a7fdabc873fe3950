/** How people sign in, move about, and hear of what happens. These tests share a browser and a system. */
import './sessions.ts'
import './provider-sign-in.ts'
import './second-factor.ts'
import './palette.ts'
import './notices.ts'
import './webhooks.ts'
