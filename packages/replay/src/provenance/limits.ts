/** How short a text may be and still be looked for inside other texts; shorter ones turn up everywhere by chance. */
export const CONTAINED_CHARACTERS_MIN = 3;

/** How short a text may be and still count as a part of a longer value. */
export const PART_CHARACTERS_MIN = 12;

/** How many values of one input or outcome are looked at; a note says where that was not all of them. */
export const VALUES_VISITED_MAX = 100_000;

/** How many steps back one answer goes. */
export const LINKS_MAX = 20;

/** How many other sources one step lists; the total names all. */
export const OTHER_SOURCES_MAX = 8;

/** How many characters an excerpt shows. */
export const EXCERPT_CHARACTERS_MAX = 120;
