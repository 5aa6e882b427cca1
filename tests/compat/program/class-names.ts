// Names of classes, regular and odd, whose plurals are collections.
export const WORDS = `
Account Address Agency Agenda Aircraft Alias Alibi Alumna Alumnus Analysis Antenna Apparatus Appendix
Apple Aquarium Archive Army Article Asset Atlas Attendee Audio Audit Axis Ax Baby Bacterium Badge Bamboo
Band Basis Batch Bath Beach Beau Beef Belief Berry Bison Blog Body Book Booking Box Boy Branch Brother
Buffalo Bus Business Butterfly Buzz Cactus Calf Calendar Campus Canvas Cargo Carp Case Cat Category
Census Chapter Chassis Chef Cherry Chief Child Church Circus City Class Cliff Clothes Coach Cod Comment
Commerce Company Compass Corps Coupon Country Crisis Criterion Curriculum Currency Customer Cycle Data
Datum Day Debris Deer Delivery Department Desk Device Diabetes Diagnosis Dictionary Die Dish Dog
Document Domino Dress Drive Duty Dwarf Echo Edge Egg Elf Ellipsis Embargo Employee Emphasis Entity Entry
Equipment Erratum Event Evidence Expense Family Fax Feedback Fee File Firm Fish Flag Flounder Fly Focus
Foot Forest Formula Fox Friend Fungus Furniture Gas Gallery Gateway Genius Genus German Ghetto Glass
Glove Goods Goose Grade Graffiti Group Guest Half Hero Headquarters Hello History Hobby Hoof Hotel House
Human Hypothesis Ibex Idea Identity Image Index Information Innings Inventory Invoice Iris Issue Item
Jackpot Job Journey Judge Jury Key Kidney Kilo Kiss Kitty Knife Lady Language Larva Lash Leaf Lens
Library Life Line List Loaf Location Log Louse Luggage Machine Man Mango Match Matrix Means Measles
Media Medium Memo Memorandum Menu Message Metadata Money Monkey Moose Mosquito Mouse Move Movie Music
Nebula Neurosis News Notice Nucleus Number Oasis Octopus Offer Offspring Opus Order OrderLine Ovum Ox
Owner Page Paralysis Parenthesis Party Passerby Payment Penny Person Phenomenon Photo Piano Picture
Plateau Plus Police Policy Portfolio Post Potato Premise Price Prize Process Product Profile Proof
Property Quality Quantity Query Quiz Quota Radio Radius Ray Recipe Referendum Reflex Rice Role Roof Rose
Rhythm Safe Salmon Scarf Schema Science Scissors Self Series Service Session Sheep Shelf Ship Shoe Shop
Sister Sky Species Spacecraft Spy Staff Stadium Status Stimulus Stomach Story Strategy Stratum Studio
Supply Swine Syllabus Symposium Synopsis Table Tag Tax Team Technology Testis Thesis Thief Thing Ticket
Tomato Tooth Torpedo Toy Trade Traffic Transaction Trout Truth Try Tuna Type Unit User UserAccount Use
Valley Veto Vertebra Vertex Virus Visa Volcano Vortex Wage Wallet Walrus Watch Wave Weather Week Wharf
Wheat Wife Wish Witch Wolf Woman Word World Year Yes Yoyo Zebra Zero Zoo Users orders people Children
DATA HTMLPage iPhone MyAnalysis OrderStatus PurchaseHistory UserData SalesPerson SalesPeople Item2 V2
_Hidden $Money Straße Éclair
`
  .trim()
  .split(/\s+/);
