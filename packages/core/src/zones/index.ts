export { longestZone } from './longest-zone.ts';
export { createZoneFinder, type ZoneFinder, type ZoneFinderOptions } from './zone-finder.ts';
