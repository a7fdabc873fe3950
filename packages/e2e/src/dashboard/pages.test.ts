/** Every page, and pages that start from a mail. These tests share a browser and a system. */
import './every-page.ts'
import './api-reference.ts'
// Last, because it replaces the templates of the identity provider's mails.
import './team.ts'
