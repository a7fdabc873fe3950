/** The pages of operators. These tests share a browser and a system. */
import './real-system.ts'
import './journey.ts'
import './every-page.ts'
